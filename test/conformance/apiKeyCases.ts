import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import { type NewApiKey, SellerStore } from "../../actors/ports/sellerStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { type ApiKeyAccess, fullAccess } from "../../actors/values/apiKeyAccess.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { revokeTimerName } from "../../actors/values/revokeTimer.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import {
  creationOf,
  freshIdBeside,
  hashOf,
  keyPrincipalOf,
  newCharge,
  newSeller,
  openCharge,
  openShop,
} from "./fixtures.ts"
import { elapse, nowMillis, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"

const grace = limits.rotationGraceMillis
const max = limits.apiKeysPerModeMax

/** A key of a seller, not yet written. */
const newKey = (sellerId: string, mode: Mode, overrides: Partial<NewApiKey> = {}) =>
  Effect.map(freshIdBeside("key_", sellerId), (id): NewApiKey => {
    const createdAt = "2026-11-21T00:07:35.123Z"
    return {
      id,
      keyHash: hashOf(id),
      mode,
      name: `"${id}" ã`,
      keyPrefix: `sk_${mode}_wxyz`,
      createdAt,
      ...fullAccess,
      ...overrides,
    }
  })

/** A written key, newer than all before it. */
const openKey = (sellerId: string, mode: Mode) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const key = yield* newKey(sellerId, mode)
    assert.deepStrictEqual(yield* (yield* ApiKeyStore).create(sellerId, key), { kind: "created" })
    return key
  })

/** Rotates a key; returns the new one and when the old one ends, in ms. */
const rotateKey = (sellerId: string, oldKeyId: string, mode: Mode) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const key = yield* newKey(sellerId, mode)
    const answer = yield* (yield* ApiKeyStore).rotate(sellerId, oldKeyId, key)
    if (answer.kind !== "rotated") return yield* Effect.die(new Error(answer.kind))
    return { key, revokeAtMillis: answer.revokeAtMillis }
  })

/** As a list shows a key that was never used. */
const shown = ({ keyHash: _, ...key }: NewApiKey, revokeAtMillis?: number) => ({
  ...key,
  lastUsedAtMillis: undefined,
  lastUsedIp: undefined,
  revokeAtMillis,
})

const idsOf = (sellerId: string, mode: Mode) =>
  Effect.map(
    Effect.flatMap(ApiKeyStore, (store) => store.list(sellerId, mode)),
    (keys) => keys.map(({ id }) => id),
  )

const isValid = (principal: Principal) => Effect.flatMap(SellerStore, (store) => store.isValid(principal))

/** Whether a charge can be created under the key: makes the check that the store's own writes make. */
const canWrite = (principal: Principal) =>
  Effect.gen(function* () {
    const charge = yield* newCharge(principal)
    return (yield* (yield* TransactionStore).create(creationOf(principal, charge))).kind === "created"
  })

const claim = (partition: number) => Effect.flatMap(TimerQueue, (queue) => queue.claim(partition, 100))

/** Collects the hints of the watched modes' feeds from now on. */
const listen = (sellerId: string, watched: ReadonlyArray<Mode> = modes) =>
  Effect.gen(function* () {
    const heard = yield* Queue.unbounded<FeedHint>()
    const hints = yield* FeedHints
    yield* hints.listen((hint) => Queue.offerUnsafe(heard, hint))
    for (const mode of watched) yield* hints.watch({ sellerId, mode })
    return heard
  })

const revoked = (sellerId: string, mode: Mode, credentialId: string): FeedHint => ({
  kind: "revoked",
  feed: { sellerId, mode },
  credentialId,
})

const listing: StoreCase = storeCase(
  "an API key list has one seller's keys of one mode as stored, newest first",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, live, test } = yield* openShop({ kycStatus: "approved" })
    const another = yield* openShop()
    const keys = [yield* openKey(sellerId, "test"), yield* openKey(sellerId, "test")] as const
    yield* openKey(sellerId, "live")
    const [newest, second, first] = yield* store.list(sellerId, "test")
    assert.deepStrictEqual([newest, second], [shown(keys[1]), shown(keys[0])])
    assert.deepStrictEqual(first?.id, test.keyId)
    assert.strictEqual((yield* idsOf(sellerId, "live")).at(-1), live.keyId)
    assert.deepStrictEqual(yield* idsOf(another.sellerId, "test"), [another.test.keyId])
    assert.deepStrictEqual(yield* idsOf((yield* newSeller()).seller.id, "test"), [])
    assert.isTrue(yield* canWrite(keyPrincipalOf(sellerId, keys[0])))
  }),
)

const limit: StoreCase = storeCase(
  `a mode takes ${max} API keys and refuses one more until one is deleted`,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, test } = yield* openShop({ kycStatus: "approved" })
    // A seller starts with one key in each mode.
    for (let i = 1; i < max; i++) yield* openKey(sellerId, "test")
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.create(sellerId, another), { kind: "limit" })
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, max)
    assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, another)))
    yield* openKey(sellerId, "live")
    yield* store.delete(sellerId, "test", test.keyId)
    assert.deepStrictEqual(yield* store.create(sellerId, another), { kind: "created" })
    assert.deepStrictEqual(yield* store.create(sellerId, yield* newKey(sellerId, "test")), { kind: "limit" })
  }),
)

const limitOfRotated: StoreCase = storeCase(
  "an API key rotates at the limit, and keys about to be revoked do not count towards it",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, test } = yield* openShop()
    for (let i = 1; i < max; i++) yield* openKey(sellerId, "test")
    const { key } = yield* rotateKey(sellerId, test.keyId, "test")
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, max + 1)
    assert.deepStrictEqual(yield* store.create(sellerId, yield* newKey(sellerId, "test")), { kind: "limit" })
    // As many records as the limit, one of them ending.
    yield* store.delete(sellerId, "test", key.id)
    yield* openKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.create(sellerId, yield* newKey(sellerId, "test")), { kind: "limit" })
  }),
)

const identification: StoreCase = storeCase(
  "a live API key needs approved KYC, a test key does not, and an unknown seller gets neither",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    for (const kycStatus of ["none", "pending", "rejected"] as const) {
      const { sellerId } = yield* openShop({ kycStatus })
      const key = yield* newKey(sellerId, "live")
      assert.deepStrictEqual(yield* store.create(sellerId, key), { kind: "kycRequired" })
      assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, key)))
      yield* openKey(sellerId, "test")
    }
    const { seller } = yield* newSeller()
    for (const mode of modes) {
      const key = yield* newKey(seller.id, mode)
      assert.deepStrictEqual(yield* store.create(seller.id, key), { kind: "noSeller" })
      assert.isFalse(yield* isValid(keyPrincipalOf(seller.id, key)))
      assert.deepStrictEqual(yield* idsOf(seller.id, mode), [])
    }
  }),
)

const suspended: StoreCase = storeCase(
  "a suspended seller makes no API key and rotates none, and deletes those it has",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    for (const kycStatus of ["approved", "none"] as const) {
      const { sellerId, test } = yield* openShop({ status: "suspended", kycStatus })
      for (const mode of modes) {
        const key = yield* newKey(sellerId, mode)
        assert.deepStrictEqual(yield* store.create(sellerId, key), { kind: "sellerNotAllowed" })
        assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, key)))
      }
      const rotated = yield* store.rotate(sellerId, test.keyId, yield* newKey(sellerId, "test"))
      assert.deepStrictEqual(rotated, { kind: "sellerNotAllowed" })
      assert.deepStrictEqual(yield* store.delete(sellerId, "test", test.keyId), { kind: "deleted" })
    }
  }),
)

const repeatedCreation: StoreCase = storeCase(
  "creating the same API key again answers created and adds nothing, also at the limit",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId } = yield* openShop()
    for (let i = 2; i < max; i++) yield* openKey(sellerId, "test")
    const last = yield* openKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.create(sellerId, last), { kind: "created" })
    const ids = yield* idsOf(sellerId, "test")
    assert.strictEqual(ids.length, max)
    assert.strictEqual(ids[0], last.id)
  }),
)

const rotation: StoreCase = storeCase(
  "rotating an API key leaves both valid and sets a timer that ends the old one in a day",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, test } = yield* openShop()
    const before = yield* nowMillis
    const { key, revokeAtMillis } = yield* rotateKey(sellerId, test.keyId, "test")
    assert.isAtLeast(revokeAtMillis, before + grace)
    assert.isAtMost(revokeAtMillis, (yield* nowMillis) + grace)
    const [fresh, old] = yield* store.list(sellerId, "test")
    assert.deepStrictEqual(fresh, shown(key))
    assert.deepInclude(old, { id: test.keyId, name: "key of test", revokeAtMillis })
    for (const principal of [test, keyPrincipalOf(sellerId, key)]) {
      assert.isTrue(yield* canWrite(principal))
      const found = yield* (yield* SellerStore).principalOf(partition, principal.keyHash)
      assert.deepStrictEqual(found, principal)
    }
    const { due, nextInMillis = 0 } = yield* claim(partition)
    assert.deepStrictEqual(due, [])
    assert.isAbove(nextInMillis, grace - 60_000)
    assert.isAtMost(nextInMillis, grace)
  }),
)

const repeatedRotation: StoreCase = storeCase(
  "repeating an API key rotation gives the same answer; a different rotation of that key is refused",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, test } = yield* openShop()
    const { key, revokeAtMillis } = yield* rotateKey(sellerId, test.keyId, "test")
    yield* elapse(5)
    const again = yield* store.rotate(sellerId, test.keyId, key)
    assert.deepStrictEqual(again, { kind: "rotated", revokeAtMillis })
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.rotate(sellerId, test.keyId, another), { kind: "scheduled" })
    assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, another)))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [key.id, test.keyId])
    // The newer key can be rotated, so that a leaked one can be replaced twice in a day.
    yield* rotateKey(sellerId, key.id, "test")
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, 3)
  }),
)

const missing: StoreCase = storeCase(
  "an API key that is unknown, ended, of the other mode or another seller's is neither rotated nor deleted",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, live, test } = yield* openShop()
    const another = yield* openShop()
    const ended = yield* openKey(sellerId, "test")
    yield* store.delete(sellerId, "test", ended.id)
    const ids = [yield* freshIdBeside("key_", sellerId), ended.id, live.keyId, another.test.keyId]
    for (const id of ids) {
      const key = yield* newKey(sellerId, "test")
      assert.deepStrictEqual(yield* store.rotate(sellerId, id, key), { kind: "missing" })
      assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, key)))
      assert.deepStrictEqual(yield* store.delete(sellerId, "test", id), { kind: "missing" })
      yield* store.expire(sellerId, "test", id)
    }
    for (const principal of [live, test, another.test]) assert.isTrue(yield* isValid(principal))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [test.keyId])
    assert.isUndefined((yield* claim(partition)).nextInMillis)
  }),
)

const overlap: StoreCase = timedCase(
  "a rotated API key stops being valid at exactly its revocation time, before its timer has fired",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, test } = yield* openShop()
    const { key, revokeAtMillis } = yield* rotateKey(sellerId, test.keyId, "test")
    yield* elapse(revokeAtMillis - (yield* nowMillis) - 1)
    assert.isTrue(yield* isValid(test))
    assert.isTrue(yield* canWrite(test))
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, 2)
    yield* store.expire(sellerId, "test", test.keyId)
    assert.deepStrictEqual((yield* claim(partition)).due, [])
    assert.isTrue(yield* isValid(test))

    yield* elapse(1)
    assert.isFalse(yield* isValid(test))
    assert.isFalse(yield* canWrite(test))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [key.id])
    assert.deepStrictEqual(yield* store.rotate(sellerId, test.keyId, yield* newKey(sellerId, "test")), {
      kind: "missing",
    })
    const { due } = yield* claim(partition)
    const [timer] = due.map(({ name, resourceId }) => ({ name, resourceId }))
    assert.deepStrictEqual(timer, { name: revokeTimerName(sellerId, "test"), resourceId: test.keyId })
    assert.isTrue(yield* canWrite(keyPrincipalOf(sellerId, key)))
  }),
)

const expiry: StoreCase = storeCase(
  "expiring an API key ends it and its timer, once, and does nothing before its time",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { revokeKey } = yield* Stage
    const { sellerId, partition, live, test } = yield* openShop()
    const { key } = yield* rotateKey(sellerId, test.keyId, "test")
    const heard = yield* listen(sellerId)
    for (const id of [test.keyId, key.id]) yield* store.expire(sellerId, "test", id)
    assert.isTrue(yield* isValid(test))
    assert.isDefined((yield* claim(partition)).nextInMillis)

    yield* revokeKey(test)
    assert.isFalse(yield* canWrite(test))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [key.id])
    for (const _again of [1, 2]) {
      yield* store.expire(sellerId, "test", test.keyId)
      assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, test.keyHash))
      assert.isUndefined((yield* claim(partition)).nextInMillis)
    }
    yield* store.announceRevocation(sellerId, "the-next")
    assert.deepStrictEqual(yield* Queue.take(heard), revoked(sellerId, "test", test.keyId))
    assert.deepInclude(yield* Queue.take(heard), { credentialId: "the-next" })
    for (const principal of [live, keyPrincipalOf(sellerId, key)]) assert.isTrue(yield* canWrite(principal))
  }),
  { needs: ["revokeKey"] },
)

const deletion: StoreCase = storeCase(
  "deleting an API key ends it at once, with its timer if it has one",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, live, test } = yield* openShop()
    const { key } = yield* rotateKey(sellerId, test.keyId, "test")
    for (const principal of [test, live]) {
      const { keyId, mode } = principal
      assert.deepStrictEqual(yield* store.delete(sellerId, mode, keyId), { kind: "deleted" })
      assert.isFalse(yield* isValid(principal))
      assert.isFalse(yield* canWrite(principal))
      assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, principal.keyHash))
      assert.isUndefined((yield* claim(partition)).nextInMillis)
      assert.deepStrictEqual(yield* store.delete(sellerId, mode, keyId), { kind: "missing" })
    }
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [key.id])
    assert.deepStrictEqual(yield* idsOf(sellerId, "live"), [])
    assert.isTrue(yield* canWrite(keyPrincipalOf(sellerId, key)))
  }),
)

const overdueDeletion: StoreCase = storeCase(
  "an API key past its revocation time is missing to rotate and delete, and the delete clears it away",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { revokeKey } = yield* Stage
    const { sellerId, partition, test } = yield* openShop()
    yield* rotateKey(sellerId, test.keyId, "test")
    yield* revokeKey(test)
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.rotate(sellerId, test.keyId, another), { kind: "missing" })
    assert.isFalse(yield* isValid(keyPrincipalOf(sellerId, another)))
    assert.deepStrictEqual(yield* store.delete(sellerId, "test", test.keyId), { kind: "missing" })
    assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, test.keyHash))
    assert.isUndefined((yield* claim(partition)).nextInMillis)
  }),
  { needs: ["revokeKey"] },
)

const uses: StoreCase = storeCase(
  "an API key's last use, with its address, only moves forward, and is not recorded for ended keys",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, live, test } = yield* openShop()
    const lastUses = Effect.gen(function* () {
      const keys = [...(yield* store.list(sellerId, "live")), ...(yield* store.list(sellerId, "test"))]
      return keys.map(({ lastUsedAtMillis, lastUsedIp }) => [lastUsedAtMillis, lastUsedIp])
    })
    const never = [undefined, undefined]
    assert.deepStrictEqual(yield* lastUses, [never, never])
    const at = 1_795_219_200_000
    const touch = (principals: ReadonlyArray<Principal>, usedAtMillis: number, ipAddress?: string) =>
      store.touch(
        partition,
        principals.map(({ keyHash }) => ({ keyHash, usedAtMillis, ipAddress })),
      )
    yield* touch([test], at, "203.0.113.7")
    assert.deepStrictEqual(yield* lastUses, [never, [at, "203.0.113.7"]])
    yield* touch([live, test], at - 1, "2001:db8::7")
    assert.deepStrictEqual(yield* lastUses, [
      [at - 1, "2001:db8::7"],
      [at, "203.0.113.7"],
    ])
    yield* touch([live, test], at + 1)
    assert.deepStrictEqual(yield* lastUses, [
      [at + 1, undefined],
      [at + 1, undefined],
    ])

    yield* store.delete(sellerId, "test", test.keyId)
    yield* touch([test, live, { ...live, keyHash: hashOf("no such key") }], at + 2, "203.0.113.7")
    assert.deepStrictEqual(yield* lastUses, [[at + 2, "203.0.113.7"]])
    assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, test.keyHash))
    assert.isFalse(yield* isValid(test))
  }),
)

const access: StoreCase = storeCase(
  "an API key keeps its scopes and addresses, in lists and for whoever asks with it",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition } = yield* openShop()
    const accesses: ReadonlyArray<ApiKeyAccess> = [
      { scopes: ["events:read"], allowedIps: ["203.0.113.7", "198.51.100.0/24", "2001:db8::/32"] },
      { scopes: ["charges:read", "withdrawals:write", "ledger:read"], allowedIps: [] },
      fullAccess,
    ]
    for (const given of accesses) {
      yield* elapse(2)
      const key = yield* newKey(sellerId, "test", given)
      yield* store.create(sellerId, key)
      const [listed] = yield* store.list(sellerId, "test")
      assert.deepStrictEqual(listed, shown(key))
      const found = yield* (yield* SellerStore).principalOf(partition, key.keyHash)
      assert.deepStrictEqual(found, keyPrincipalOf(sellerId, key))
    }
  }),
)

const announcements: StoreCase = storeCase(
  "a deleted API key is announced in its mode's feed, an ended session in both modes' feeds",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, live, test } = yield* openShop()
    const heard = yield* listen(sellerId)
    yield* store.delete(sellerId, "test", test.keyId)
    yield* store.delete(sellerId, "test", test.keyId)
    yield* store.delete(sellerId, "live", live.keyId)
    yield* store.announceRevocation(sellerId, "a-user")
    assert.deepStrictEqual(yield* Queue.take(heard), revoked(sellerId, "test", test.keyId))
    assert.deepStrictEqual(yield* Queue.take(heard), revoked(sellerId, "live", live.keyId))
    const ofSession = [yield* Queue.take(heard), yield* Queue.take(heard)]
    assert.sameDeepMembers(
      ofSession,
      modes.map((mode) => revoked(sellerId, mode, "a-user")),
    )
  }),
)

const quiet: StoreCase = storeCase(
  "API key revocations are announced for watched feeds only, and a rotation is not announced",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, live, test } = yield* openShop()
    const another = yield* openShop()
    const heard = yield* listen(sellerId, ["test"])
    const { key } = yield* rotateKey(sellerId, test.keyId, "test")
    yield* store.delete(sellerId, "live", live.keyId)
    yield* store.delete(another.sellerId, "test", another.test.keyId)
    yield* store.delete(sellerId, "test", key.id)
    yield* openCharge(test)
    assert.deepStrictEqual(yield* Queue.take(heard), revoked(sellerId, "test", key.id))
    assert.deepInclude(yield* Queue.take(heard), { kind: "appended" })
  }),
)

/** API keys (`docs/contract/api-keys.md#routes`). */
export const apiKeyCases: ReadonlyArray<StoreCase> = [
  listing,
  limit,
  limitOfRotated,
  identification,
  suspended,
  repeatedCreation,
  rotation,
  repeatedRotation,
  missing,
  overlap,
  expiry,
  deletion,
  overdueDeletion,
  uses,
  access,
  announcements,
  quiet,
]
