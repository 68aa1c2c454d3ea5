import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { ApiKeyStore, revokeTimerName } from "../../actors/ports/apiKeyStore.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import type { Principal } from "../../actors/ports/principal.ts"
import { type NewApiKey, SellerStore } from "../../actors/ports/sellerStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { creationOf, freshIdBeside, hashOf, newCharge, newSeller, openCharge, openShop } from "./fixtures.ts"
import { elapse, nowMillis, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"

const grace = limits.rotationGraceMillis
const max = limits.apiKeysPerModeMax

/** An unwritten key of a seller. */
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

/** A key in another's place, and when that one ends. */
const rotateKey = (sellerId: string, oldKeyId: string, mode: Mode) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const key = yield* newKey(sellerId, mode)
    const answer = yield* (yield* ApiKeyStore).rotate(sellerId, oldKeyId, key)
    if (answer.kind !== "rotated") return yield* Effect.die(new Error(answer.kind))
    return { key, revokeAtMillis: answer.revokeAtMillis }
  })

const principalOf = (sellerId: string, { id, keyHash, mode }: NewApiKey): Principal => ({
  sellerId,
  mode,
  keyId: id,
  keyHash,
})

/** As a list shows a key that was never used. */
const shown = ({ keyHash: _, ...key }: NewApiKey, revokeAtMillis?: number) => ({
  ...key,
  lastUsedAtMillis: undefined,
  revokeAtMillis,
})

const idsOf = (sellerId: string, mode: Mode) =>
  Effect.map(
    Effect.flatMap(ApiKeyStore, (store) => store.list(sellerId, mode)),
    (keys) => keys.map(({ id }) => id),
  )

const isValid = (principal: Principal) => Effect.flatMap(SellerStore, (store) => store.isValid(principal))

/** Whether a charge can be made under the key: what the store's own writes go by. */
const canWrite = (principal: Principal) =>
  Effect.gen(function* () {
    const charge = yield* newCharge(principal)
    return (yield* (yield* TransactionStore).create(creationOf(principal, charge))).kind === "created"
  })

const claim = (partition: number) => Effect.flatMap(TimerQueue, (queue) => queue.claim(partition, 100))

/** Hints of both modes' feeds from now on. */
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
  "lists the keys of a mode as they are stored, newest first, and nobody else's",
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
    assert.isTrue(yield* canWrite(principalOf(sellerId, keys[0])))
  }),
)

const limit: StoreCase = storeCase(
  `gives a mode ${max} keys, and not one more`,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, test } = yield* openShop({ kycStatus: "approved" })
    // It has one of each mode from its beginning.
    for (let i = 1; i < max; i++) yield* openKey(sellerId, "test")
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.create(sellerId, another), { kind: "limit" })
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, max)
    assert.isFalse(yield* isValid(principalOf(sellerId, another)))
    yield* openKey(sellerId, "live")
    yield* store.delete(sellerId, "test", test.keyId)
    assert.deepStrictEqual(yield* store.create(sellerId, another), { kind: "created" })
    assert.deepStrictEqual(yield* store.create(sellerId, yield* newKey(sellerId, "test")), { kind: "limit" })
  }),
)

const limitOfRotated: StoreCase = storeCase(
  "rotates at the limit, and does not count keys that are being revoked",
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
  "gives live keys to identified sellers alone, and test keys to all",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    for (const kycStatus of ["none", "pending", "rejected"] as const) {
      const { sellerId } = yield* openShop({ kycStatus })
      const key = yield* newKey(sellerId, "live")
      assert.deepStrictEqual(yield* store.create(sellerId, key), { kind: "kycRequired" })
      assert.isFalse(yield* isValid(principalOf(sellerId, key)))
      yield* openKey(sellerId, "test")
    }
    const { seller } = yield* newSeller()
    for (const mode of modes) {
      const key = yield* newKey(seller.id, mode)
      assert.deepStrictEqual(yield* store.create(seller.id, key), { kind: "noSeller" })
      assert.isFalse(yield* isValid(principalOf(seller.id, key)))
      assert.deepStrictEqual(yield* idsOf(seller.id, mode), [])
    }
  }),
)

const repeatedCreation: StoreCase = storeCase(
  "answers a creation alike when its reply was lost, at the limit too",
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
  "rotates a key: both are valid, and a timer ends the old one in a day",
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
    for (const principal of [test, principalOf(sellerId, key)]) {
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
  "answers a rotation alike when its reply was lost, and refuses another of the same key",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, test } = yield* openShop()
    const { key, revokeAtMillis } = yield* rotateKey(sellerId, test.keyId, "test")
    yield* elapse(5)
    const again = yield* store.rotate(sellerId, test.keyId, key)
    assert.deepStrictEqual(again, { kind: "rotated", revokeAtMillis })
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.rotate(sellerId, test.keyId, another), { kind: "scheduled" })
    assert.isFalse(yield* isValid(principalOf(sellerId, another)))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [key.id, test.keyId])
    // The newer one can be, so that a leaked key can be left behind twice a day.
    yield* rotateKey(sellerId, key.id, "test")
    assert.strictEqual((yield* idsOf(sellerId, "test")).length, 3)
  }),
)

const missing: StoreCase = storeCase(
  "neither rotates nor deletes a key that is unknown, ended, of the other mode or another seller's",
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
      assert.isFalse(yield* isValid(principalOf(sellerId, key)))
      assert.deepStrictEqual(yield* store.delete(sellerId, "test", id), { kind: "missing" })
      yield* store.expire(sellerId, "test", id)
    }
    for (const principal of [live, test, another.test]) assert.isTrue(yield* isValid(principal))
    assert.deepStrictEqual(yield* idsOf(sellerId, "test"), [test.keyId])
    assert.isUndefined((yield* claim(partition)).nextInMillis)
  }),
)

const overlap: StoreCase = timedCase(
  "keeps a rotated key valid until exactly its time, before its timer has fired",
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
    assert.isTrue(yield* canWrite(principalOf(sellerId, key)))
  }),
)

const expiry: StoreCase = storeCase(
  "ends a key when its time has come, its timer with it, once, and none before",
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
    for (const principal of [live, principalOf(sellerId, key)]) assert.isTrue(yield* canWrite(principal))
  }),
  { needs: ["revokeKey"] },
)

const deletion: StoreCase = storeCase(
  "deletes a key at once, with the timer it may have",
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
    assert.isTrue(yield* canWrite(principalOf(sellerId, key)))
  }),
)

const overdueDeletion: StoreCase = storeCase(
  "calls a key missing whose time has come, and clears it away when it is to be deleted",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { revokeKey } = yield* Stage
    const { sellerId, partition, test } = yield* openShop()
    yield* rotateKey(sellerId, test.keyId, "test")
    yield* revokeKey(test)
    const another = yield* newKey(sellerId, "test")
    assert.deepStrictEqual(yield* store.rotate(sellerId, test.keyId, another), { kind: "missing" })
    assert.isFalse(yield* isValid(principalOf(sellerId, another)))
    assert.deepStrictEqual(yield* store.delete(sellerId, "test", test.keyId), { kind: "missing" })
    assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, test.keyHash))
    assert.isUndefined((yield* claim(partition)).nextInMillis)
  }),
  { needs: ["revokeKey"] },
)

const uses: StoreCase = storeCase(
  "notes when keys were last used: never back, and never of one that has ended",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const { sellerId, partition, live, test } = yield* openShop()
    const lastUses = Effect.gen(function* () {
      const keys = [...(yield* store.list(sellerId, "live")), ...(yield* store.list(sellerId, "test"))]
      return keys.map(({ lastUsedAtMillis }) => lastUsedAtMillis)
    })
    assert.deepStrictEqual(yield* lastUses, [undefined, undefined])
    const at = 1_795_219_200_000
    const touch = (principals: ReadonlyArray<Principal>, usedAtMillis: number) =>
      store.touch(
        partition,
        principals.map(({ keyHash }) => ({ keyHash, usedAtMillis })),
      )
    yield* touch([test], at)
    assert.deepStrictEqual(yield* lastUses, [undefined, at])
    yield* touch([live, test], at - 1)
    assert.deepStrictEqual(yield* lastUses, [at - 1, at])
    yield* touch([live, test], at + 1)
    assert.deepStrictEqual(yield* lastUses, [at + 1, at + 1])

    yield* store.delete(sellerId, "test", test.keyId)
    yield* touch([test, live, { ...live, keyHash: hashOf("no such key") }], at + 2)
    assert.deepStrictEqual(yield* lastUses, [at + 2])
    assert.isUndefined(yield* (yield* SellerStore).principalOf(partition, test.keyHash))
    assert.isFalse(yield* isValid(test))
  }),
)

const announcements: StoreCase = storeCase(
  "tells whoever watches the feed of an ended key's mode, and both modes' of an ended session",
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
  "tells of watched feeds alone, and of no key that was only rotated",
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
  repeatedCreation,
  rotation,
  repeatedRotation,
  missing,
  overlap,
  expiry,
  deletion,
  overdueDeletion,
  uses,
  announcements,
  quiet,
]
