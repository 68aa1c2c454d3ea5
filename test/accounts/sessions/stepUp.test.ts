import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Sessions } from "../../../src/accounts/sessions/sessions.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import * as keys from "../../../src/store/keys.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import { makeSessionStore } from "../../../src/store/sessions.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import {
  type AccountStage,
  asProcess,
  codeNow,
  codeOfFailure,
  makeAccount,
  openSession,
  rewrite,
  startProcess,
} from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
let stage: AccountStage
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  stage = { redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(6) }
})
afterAll(() => redis?.stop())

const call = (command: string, ...args: ReadonlyArray<string | number>) =>
  Effect.flatMap(RedisClient, (client) => client.call(command, args))
/** Until when a session is stepped up, under whichever token it has now. */
const verifiedUntil = Effect.fnUntraced(function* (key: string) {
  const movedTo = yield* call("HGET", key, "moved_to")
  return Number(yield* call("HGET", String(movedTo ?? key), "mfa_verified_until"))
})
const tries = 100

describe("a step-up", () => {
  for (const kind of ["totp", "backup"] as const) {
    it.live(
      `only one of a hundred step-ups at once with one ${kind} code, over two processes, succeeds`,
      () =>
        asProcess(
          stage,
          Effect.gen(function* () {
            const account = yield* makeAccount(stage)
            const code = kind === "totp" ? codeNow(account.secret) : (account.backupCodes[0] ?? "")
            const processes = [yield* startProcess(stage), yield* startProcess(stage)] as const
            const sessions = yield* Effect.forEach(Array.from({ length: tries }), () =>
              openSession(account.user),
            )
            const outcomes = yield* Effect.all(
              sessions.map(({ session }, index) =>
                Context.get(index % 2 === 0 ? processes[0] : processes[1], StepUps)
                  .confirm(session, { code })
                  .pipe(
                    Effect.as("stepped up"),
                    Effect.catchTag("ApiError", ({ code: why }) => Effect.succeed(why)),
                  ),
              ),
              { concurrency: "unbounded" },
            )
            assert.strictEqual(outcomes.filter((outcome) => outcome === "stepped up").length, 1)
            const refused = ["invalid_mfa_code", "rate_limited"]
            assert.strictEqual(outcomes.filter((outcome) => refused.includes(outcome)).length, tries - 1)
            const ends = yield* Effect.forEach(sessions, ({ key }) => verifiedUntil(key))
            assert.strictEqual(ends.filter((end) => end > 0).length, 1)
          }),
        ),
    )
  }

  it.live("a step-up holds for its own session alone, for ten minutes", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const [own, other] = [yield* openSession(account.user), yield* openSession(account.user)]
        const before = Date.now()
        const confirmed = yield* (yield* StepUps).confirm(own.session, { code: codeNow(account.secret) })
        const { untilMillis: until, token } = confirmed
        assert.isTrue(until >= before + limits.stepUpMillis && until <= Date.now() + limits.stepUpMillis)
        const found = yield* (yield* Sessions).find(token)
        assert.strictEqual(found?.id, own.session.id)
        assert.strictEqual(found?.mfaVerifiedUntilMillis, until)
        assert.strictEqual(yield* verifiedUntil(other.key), 0)
      }),
    ),
  )

  it.live("a step-up with a wrong password does not use up its code", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { confirm } = yield* StepUps
        const account = yield* makeAccount(stage)
        const { session, key } = yield* openSession(account.user)
        const code = codeNow(account.secret)
        const wrong = confirm(session, { code, password: "not the password" })
        assert.strictEqual(yield* codeOfFailure(wrong), "invalid_credentials")
        assert.strictEqual(yield* verifiedUntil(key), 0)
        yield* confirm(session, { code, password: account.password })
        assert.isAbove(yield* verifiedUntil(key), 0)
      }),
    ),
  )

  it.live("a step-up does not bring back a session that ended meanwhile, and uses no backup code", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { session, key } = yield* openSession(account.user)
        yield* call("DEL", key)
        const code = account.backupCodes[0] ?? ""
        const late = (yield* StepUps).confirm(session, { code })
        assert.strictEqual(yield* codeOfFailure(late), "session_required")
        assert.strictEqual(yield* call("EXISTS", key), 0)
        assert.strictEqual(yield* call("SCARD", keys.backupCodesKey(account.user.id)), 10)
      }),
    ),
  )

  it.live("a step-up is refused where 2FA, its secret or the password changed meanwhile", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        for (const [changed, why] of [
          [{ two_factor_enabled: "0" }, "mfa_required"],
          [{ totp_secret: "another" }, "invalid_mfa_code"],
          [{ password_hash: "another" }, "invalid_credentials"],
        ] as const) {
          const account = yield* makeAccount(stage)
          const { session, key } = yield* openSession(account.user)
          yield* rewrite(account.user.id, changed)
          const late = (yield* StepUps).verify(session, account.user, {
            code: codeNow(account.secret),
            kinds: ["totp"],
          })
          assert.strictEqual(yield* codeOfFailure(late), why)
          assert.strictEqual(yield* verifiedUntil(key), 0)
        }
      }),
    ),
  )

  it.live(
    "a step-up repeated after a lost reply succeeds, and its TOTP step is refused to other requests",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const { stepUp } = yield* makeSessionStore
          const account = yield* makeAccount(stage)
          const { session, key } = yield* openSession(account.user)
          const once = {
            userId: account.user.id,
            passwordHash: account.user.passwordHash,
            sealedSecret: account.user.totpSecret,
            factor: { kind: "totp", value: "1000" },
            tokenHash: session.tokenHash,
            verifiedUntilMillis: 2_000,
            operation: "once",
            newTokenHash: undefined,
          } as const
          assert.deepStrictEqual(yield* stepUp(once), { kind: "steppedUp" })
          assert.deepStrictEqual(yield* stepUp(once), { kind: "steppedUp" })
          const another = { ...once, operation: "another", verifiedUntilMillis: 3_000 }
          assert.deepStrictEqual(yield* stepUp(another), { kind: "factorRefused" })
          const older = { ...another, factor: { kind: "totp", value: "999" } } as const
          assert.deepStrictEqual(yield* stepUp(older), { kind: "factorRefused" })
          assert.strictEqual(yield* verifiedUntil(key), 2_000)
          const newer = { ...another, factor: { kind: "totp", value: "1001" } } as const
          assert.deepStrictEqual(yield* stepUp(newer), { kind: "steppedUp" })
          assert.strictEqual(yield* verifiedUntil(key), 3_000)
        }),
      ),
  )
})

describe("step-up preferences", () => {
  it.live("step-up preferences start true and change one by one", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const { setPrefs } = yield* StepUps
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user)
        assert.deepStrictEqual(yield* setPrefs(session, {}), { webhook: true, account: true })
        assert.deepStrictEqual(yield* setPrefs(session, { webhook: false }), {
          webhook: false,
          account: true,
        })
        assert.deepStrictEqual(yield* setPrefs(session, { account: false }), {
          webhook: false,
          account: false,
        })
        assert.deepStrictEqual(yield* setPrefs(session, { webhook: true }), { webhook: true, account: false })
        const stored = yield* (yield* Users).stepUpPrefs(account.user.id)
        assert.deepStrictEqual(stored, { webhook: true, account: false })
      }),
    ),
  )

  it.live("step-up preferences are not written for a user who is gone", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const account = yield* makeAccount(stage)
        const { session } = yield* openSession(account.user)
        yield* call("DEL", keys.userKey(account.user.id))
        const lost = (yield* StepUps).setPrefs(session, { webhook: false })
        assert.strictEqual(yield* codeOfFailure(lost), "session_required")
        assert.strictEqual(yield* call("EXISTS", keys.userKey(account.user.id)), 0)
      }),
    ),
  )
})
