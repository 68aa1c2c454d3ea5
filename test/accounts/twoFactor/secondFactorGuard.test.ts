import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { makeId, modes, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { StepUps } from "../../../src/accounts/sessions/stepUp.ts"
import { TwoFactor } from "../../../src/accounts/twoFactor/twoFactor.ts"
import {
  TwoFactorRecovery,
  TwoFactorRecoveryLive,
} from "../../../src/accounts/twoFactor/twoFactorRecovery.ts"
import { SecondSteps } from "../../../src/accounts/twoFactor/twoFactorSignIn.ts"
import { AccountTokens } from "../../../src/accounts/users/accountTokenStore.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import { sellerKey, userKey } from "../../../src/store/keys.ts"
import { makeTwoFactorStore } from "../../../src/store/twoFactor.ts"
import {
  type Account,
  asProcess,
  call,
  codeNow,
  codeOfFailure,
  makeAccount,
  openPending,
  openSession,
  steppedUp,
  useAccountStage,
} from "./twoFactorFixture.ts"

const stage = useAccountStage(4)
const userNow = ({ user }: Account) =>
  Effect.flatMap(Users, (users) => Effect.map(users.find(user.id), (found) => found ?? user))
const origin = { ipAddress: "192.0.2.1", userAgent: "test" }

/** Sends a code as the second step of a fresh sign-in. */
const complete = Effect.fnUntraced(function* (account: Account, code: string) {
  const steps = yield* SecondSteps
  const pending = yield* steps.find((yield* openPending(yield* userNow(account))).token)
  if (pending === undefined) throw new Error("the sign-in is not pending")
  return yield* steps.complete(pending, {
    ...{ code, kinds: ["totp", "backup"], origin, isKnown: false },
  })
})

/** A user's seller, as signing up makes it. */
const openSeller = Effect.gen(function* () {
  const id = makeId("sel_", Date.now(), 3, randomBytes(14))
  const createdAt = new Date().toISOString()
  const seller = newStoredSeller({ id, name: "Loja", userId: "u", kycStatus: "approved", createdAt })
  yield* (yield* SellerStore).create(seller, [], undefined)
  return id
})

/** The events in a seller's feeds, each as its type and until when withdrawals are locked. */
const toldOf = Effect.fnUntraced(function* (sellerId: string) {
  const log = yield* EventLog
  const feeds = yield* Effect.forEach(modes, (mode) => log.readAfter({ sellerId, mode }, "0", 100))
  return feeds.map((entries) =>
    entries.map(({ type, data }) => [
      type,
      (JSON.parse(data) as { readonly payout_locked_until: string | null }).payout_locked_until,
    ]),
  )
})
const lockOf = (sellerId: string) =>
  Effect.flatMap(SellerStore, (sellers) =>
    Effect.map(sellers.get(sellerId), (seller) => seller?.recoveryLockedUntilMillis),
  )

describe("a password alone", () => {
  it.live("a password alone neither turns 2FA off nor makes backup codes, nor locks withdrawals", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const twoFactor = yield* TwoFactor
        const sellerId = yield* openSeller
        const account = yield* makeAccount(stage, { sellerId })
        const ended = { mfaVerifiedUntilMillis: Date.now() }
        for (const options of [{}, ended]) {
          const { session, key } = yield* openSession(account.user, options)
          for (const password of [account.password, "a wrong password"]) {
            for (const ask of [twoFactor.disable, twoFactor.replaceBackupCodes]) {
              const refused = codeOfFailure<unknown, never>(ask(session, password))
              assert.strictEqual(yield* refused, "mfa_required")
            }
          }
          assert.strictEqual(yield* call("EXISTS", key), 1)
        }
        assert.isTrue((yield* userNow(account)).twoFactorEnabled)
        assert.isUndefined(yield* lockOf(sellerId))
        yield* complete(account, account.backupCodes[0] ?? "")
      }),
    ),
  )

  it.live(
    "turning 2FA off and making backup codes are refused from the millisecond that the step-up ends",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const store = yield* makeTwoFactorStore
          const account = yield* makeAccount(stage)
          const { id: userId, passwordHash } = account.user
          const { session } = yield* openSession(account.user, { mfaVerifiedUntilMillis: 1_000 })
          const { id: sessionId, tokenHash } = session
          const at = (nowMillis: number) => ({ userId, sessionId, tokenHash, passwordHash, nowMillis })
          const replace = store.replaceBackupCodes
          const refused = { kind: "notSteppedUp" }
          assert.deepStrictEqual(yield* replace({ ...at(1_000), storedCodes: ["a"] }), refused)
          assert.deepStrictEqual(yield* replace({ ...at(999), storedCodes: ["a"] }), { kind: "replaced" })
          assert.deepStrictEqual(yield* store.disable(at(1_000)), refused)
          const gone = { ...at(1), tokenHash: "of no session" }
          assert.deepStrictEqual(yield* store.disable(gone), refused)
          assert.deepStrictEqual(yield* store.disable(at(999)), { kind: "off" })
        }),
      ),
  )
})

describe("turning the second factor off", () => {
  it.live("turning 2FA off locks withdrawals for 24 h, with one event in each feed", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const sellerId = yield* openSeller
        const account = yield* makeAccount(stage, { sellerId })
        const { session } = yield* openSession(account.user, steppedUp())
        const before = Date.now()
        yield* (yield* TwoFactor).disable(session, account.password)
        const until = (yield* lockOf(sellerId)) ?? 0
        assert.isAtLeast(until, before + limits.recoveryLockMillis)
        assert.isAtMost(until, Date.now() + limits.recoveryLockMillis)
        const told = [["seller.payout_locked", new Date(until).toISOString()]]
        assert.deepStrictEqual(yield* toldOf(sellerId), [told, told])
      }),
    ),
  )

  it.live("who may make no withdrawals locks none by turning 2FA off", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const sellerId = yield* openSeller
        const { user, password } = yield* makeAccount(stage, { sellerId })
        const memberId = makeId("mem_", Date.now(), partitionOfId(sellerId) ?? 0, randomBytes(14))
        const store = yield* MemberStore
        for (const role of ["finance", "developer", "support", "viewer"] as const) {
          const team = yield* store.load(sellerId)
          assert.isDefined(team)
          yield* store.change({
            ...{ team, operation: role, ownerId: "somebody else", removed: [] },
            written: [{ id: memberId, role, userId: user.id, createdAt: "2026-11-21T12:00:00.000Z" }],
          })
          yield* call("HSET", userKey(user.id), "member_id", memberId, "two_factor_enabled", "1")
          yield* call("HSET", sellerKey(sellerId), "recovery_locked_until", "")
          const { session } = yield* openSession(user, steppedUp())
          yield* (yield* TwoFactor).disable(session, password)
          assert.strictEqual((yield* lockOf(sellerId)) !== undefined, role === "finance", role)
        }
      }),
    ),
  )

  it.live("turning 2FA off by a mailed token locks withdrawals, with one event in each feed, once", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const sellerId = yield* openSeller
        const account = yield* makeAccount(stage, { sellerId })
        const tokens = yield* AccountTokens
        const issue = tokens.issue(account.user.email, account.user, "recover_two_factor", 60_000)
        const [token, outstanding] = [yield* issue, yield* issue]
        const { confirm } = yield* TwoFactorRecovery
        const until = (yield* confirm(token)) ?? 0
        const told = [["seller.payout_locked", new Date(until).toISOString()]]
        assert.deepStrictEqual(yield* toldOf(sellerId), [told, told])
        assert.strictEqual(yield* lockOf(sellerId), until)
        for (const used of [token, outstanding]) {
          assert.strictEqual(yield* codeOfFailure(confirm(used)), "invalid_mfa_code")
        }
        assert.deepStrictEqual(yield* toldOf(sellerId), [told, told])
      }).pipe(Effect.provide(TwoFactorRecoveryLive)),
    ),
  )
})

describe("a backup code", () => {
  it.live("a backup code does not step up the session that made it, but another one", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        const stepUps = yield* StepUps
        const account = yield* makeAccount(stage)
        const { session: own } = yield* openSession(account.user, steppedUp())
        const { session: other } = yield* openSession(account.user)
        yield* stepUps.confirm(own, { code: account.backupCodes[0] ?? "" })
        const codes = yield* (yield* TwoFactor).replaceBackupCodes(own, account.password)
        for (const code of codes.slice(0, 2)) {
          assert.strictEqual(yield* codeOfFailure(stepUps.confirm(own, { code })), "invalid_mfa_code")
        }
        // The refused ones are not used up, and the authenticator still confirms.
        yield* stepUps.confirm(other, { code: codes[0] ?? "" })
        yield* stepUps.confirm(own, { code: codeNow(account.secret) })
        yield* complete(account, codes[1] ?? "")
      }),
    ),
  )

  it.live(
    "a backup code from enabling 2FA does not step up the session that enabled it, but another one",
    () =>
      asProcess(
        stage,
        Effect.gen(function* () {
          const [stepUps, twoFactor] = [yield* StepUps, yield* TwoFactor]
          const account = yield* makeAccount(stage, { isOn: false })
          const { session } = yield* openSession(account.user)
          const { totpUri, backupCodes } = yield* twoFactor.enable(session, account.password)
          const secret = new URL(totpUri).searchParams.get("secret") ?? ""
          yield* twoFactor.confirm(session, yield* userNow(account), codeNow(secret))
          const [code = ""] = backupCodes
          assert.strictEqual(yield* codeOfFailure(stepUps.confirm(session, { code })), "invalid_mfa_code")
          const { session: another } = yield* openSession(account.user)
          yield* stepUps.confirm(another, { code })
        }),
      ),
  )
})
