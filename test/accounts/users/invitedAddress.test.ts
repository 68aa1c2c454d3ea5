import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeId } from "../../../schema/ids.ts"
import { newUser, newUserId, Users } from "../../../src/accounts/users/users.ts"
import { makeInviteStore } from "../../../src/store/invites.ts"
import { accountSlotOfEmail } from "../../../src/store/keys.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { type AccountStage, asProcess } from "../twoFactor/twoFactorFixture.ts"

let redis: TestRedis
let stage: AccountStage
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  stage = { redisUrl: redis.url, encryptionKey: new Uint8Array(32).fill(7) }
})
afterAll(() => redis?.stop())

/** Uses an invite of one address to create a user with another, and tells what became of it. */
const signUp = Effect.fnUntraced(function* (invited: string, email: string) {
  const invites = yield* makeInviteStore
  const users = yield* Users
  const nowMillis = Date.now()
  const invite = {
    id: makeId("inv_", nowMillis, accountSlotOfEmail(email), randomBytes(14)),
    email: invited,
    tokenHash: "hash",
    sellerId: "sel_0001J3Z6Q0000000000000000",
    createdAtMillis: nowMillis,
    expiresAtMillis: nowMillis + 60_000,
  }
  yield* invites.create(invite)
  const user = newUser({
    ...{ id: newUserId(email), email, name: "José", role: "seller", passwordHash: "hash", nowMillis },
  })
  const { kind } = yield* users.create(user, { invite, session: undefined })
  return kind
})

describe("the address of an invite", () => {
  for (const [invited, email] of [
    ["JOSE@example.com", "jose@example.com"],
    ["JOSÉ@example.com", "josÉ@example.com"],
    ["JOSÉ@example.com", "JOSÉ@example.com"],
    ["josé@example.com", "JOSé@example.com"],
  ] as const) {
    it.live(`an invite of ${invited} lets ${email} sign up`, () => {
      const prefix = `${randomUUID()}.`
      return asProcess(
        stage,
        Effect.map(signUp(prefix + invited, prefix + email), (kind) => assert.strictEqual(kind, "created")),
      )
    })
  }

  it.live("an invite of another address creates nobody", () =>
    asProcess(
      stage,
      Effect.gen(function* () {
        assert.strictEqual(yield* signUp("JOSÉ@example.com", "jose@example.com"), "inviteUnusable")
        // Only ASCII letters are the same in either case.
        assert.strictEqual(yield* signUp("JOSÉ@example.com", "josé@example.com"), "inviteUnusable")
        assert.strictEqual(yield* signUp("\u212aate@example.com", "kate@example.com"), "inviteUnusable")
        const users = yield* Users
        assert.isUndefined(yield* users.findByEmail("jose@example.com"))
      }),
    ),
  )
})
