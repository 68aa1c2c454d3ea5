import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { PixKeyStore, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type PixKeyStatus, pixKeyStatuses } from "../../schema/resources/pixKey.ts"
import { freshId, freshIdBeside, hashOf, newSeller, openShop, type Shop, unique } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, storeCase } from "./stage.ts"

const max = limits.pixKeysPerModeMax
const createdAt = "2026-11-21T00:07:35.123Z"
const verifiedAt = "2026-11-22T01:02:03.456Z"
const inParallel = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A key not yet written: pending approval, with a value of its own. */
const newPixKey = (owner: Pick<Principal, "sellerId" | "mode">, overrides: Partial<StoredPixKey> = {}) =>
  Effect.map(freshIdBeside("pk_", owner.sellerId), (id): StoredPixKey => {
    const value = unique("value")
    return {
      id,
      sellerId: owner.sellerId,
      mode: owner.mode,
      type: "email",
      value: `sealed "${value}" ã`,
      valueHash: hashOf(value),
      maskedValue: "a***@example.com",
      status: "pending_approval",
      version: 1,
      createdAt,
      verifiedAt: undefined,
      ...overrides,
    }
  })

const create = (pixKey: StoredPixKey) => Effect.flatMap(PixKeyStore, (store) => store.create(pixKey))

/** A written key, newer than all before it. */
const openPixKey = (owner: Pick<Principal, "sellerId" | "mode">, overrides: Partial<StoredPixKey> = {}) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const pixKey = yield* newPixKey(owner, overrides)
    assert.deepStrictEqual(yield* create(pixKey), { kind: "created" })
    return pixKey
  })

const transition = (pixKey: StoredPixKey, to: PixKeyStatus) =>
  Effect.flatMap(PixKeyStore, (store) =>
    store.transition({ pixKey, to, verifiedAt: to === "verified" ? verifiedAt : undefined }),
  )

/** Applies a transition; returns the key as it must be afterwards. */
const move = (pixKey: StoredPixKey, to: PixKeyStatus) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* transition(pixKey, to), { kind: "applied" })
    const moved: StoredPixKey = {
      ...pixKey,
      status: to,
      version: pixKey.version + 1,
      verifiedAt: to === "verified" ? verifiedAt : pixKey.verifiedAt,
    }
    return moved
  })

const load = (id: string) => Effect.flatMap(PixKeyStore, (store) => store.load(id))
const listOf = (principal: Principal) => Effect.flatMap(PixKeyStore, (store) => store.list(principal))

/** All keys of a status and mode, read from pages of a size, newest first. */
const operatorList = (mode: Mode, status: PixKeyStatus, pageSize = 100) =>
  Effect.gen(function* () {
    const store = yield* PixKeyStore
    const found: Array<StoredPixKey> = []
    let beforeId: string | undefined
    do {
      const page = yield* store.listForOperator({ mode, status, beforeId, limit: pageSize })
      assert.isAtMost(page.length, pageSize)
      found.push(...page)
      beforeId = page.length < pageSize ? undefined : page.at(-1)?.id
    } while (beforeId !== undefined)
    return found
  })

const holdsValue = (pixKey: StoredPixKey) =>
  Effect.gen(function* () {
    const same = yield* newPixKey(pixKey, { valueHash: pixKey.valueHash })
    const { kind } = yield* create(same)
    if (kind === "created") yield* move(same, "removed")
    return kind === "exists"
  })

const registration: StoreCase = storeCase(
  "PIX keys are kept as registered and listed in that order, each in its own mode",
  Effect.gen(function* () {
    const { sellerId, live, test } = yield* openShop()
    const another = yield* openShop()
    const pending = yield* openPixKey(live, { type: "cpf" })
    const verified = yield* openPixKey(live, { status: "verified", verifiedAt: createdAt })
    const ofTest = yield* openPixKey(test)
    for (const pixKey of [pending, verified, ofTest]) assert.deepStrictEqual(yield* load(pixKey.id), pixKey)
    assert.deepStrictEqual(yield* listOf(live), [pending, verified])
    assert.deepStrictEqual(yield* listOf(test), [ofTest])
    assert.deepStrictEqual(yield* listOf(sessionPrincipal(sellerId, "live", "a-user")), [pending, verified])
    assert.deepStrictEqual(yield* listOf(another.live), [])
    assert.isUndefined(yield* load(yield* freshIdBeside("pk_", sellerId)))
  }),
)

const sameValue: StoreCase = storeCase(
  "a PIX key's value can be registered once per seller and mode while a key holds it",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const another = yield* openShop()
    const { valueHash } = yield* openPixKey(live)
    const again = yield* newPixKey(live, { valueHash })
    assert.deepStrictEqual(yield* create(again), { kind: "exists" })
    assert.isUndefined(yield* load(again.id))
    assert.strictEqual(((yield* listOf(live)) as ReadonlyArray<StoredPixKey>).length, 1)
    yield* openPixKey(test, { valueHash })
    yield* openPixKey(another.live, { valueHash })
  }),
)

const olderHash: StoreCase = storeCase(
  "a PIX key's value is found under the hash of an earlier key too, and kept under its own hash alone",
  Effect.gen(function* () {
    const { test } = yield* openShop()
    const held = yield* openPixKey(test)
    const again = yield* newPixKey(test)
    const { create: register } = yield* PixKeyStore
    assert.deepStrictEqual(yield* register(again, [hashOf("unused"), held.valueHash]), { kind: "exists" })
    assert.deepStrictEqual(yield* register(again, [hashOf("unused")]), { kind: "created" })
    assert.strictEqual((yield* load(again.id))?.valueHash, again.valueHash)
    const other = yield* newPixKey(test, { valueHash: hashOf("unused") })
    assert.deepStrictEqual(yield* register(other), { kind: "created" })
  }),
)

const freedValue: StoreCase = storeCase(
  "a PIX key's value is freed only when the key that holds it is refused or removed",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const pending = yield* openPixKey(live)
    const refused = yield* move(pending, "refused")
    const successor = yield* openPixKey(live, { valueHash: pending.valueHash })
    // Removing the refused key does not free the value of its new holder.
    yield* move(refused, "removed")
    assert.isTrue(yield* holdsValue(successor))
    const verified = yield* move(successor, "verified")
    assert.isTrue(yield* holdsValue(verified))
    yield* move(verified, "removed")
    assert.isFalse(yield* holdsValue(verified))
  }),
)

const repeatedCreation: StoreCase = storeCase(
  "creating a PIX key again under the same id answers created and changes nothing",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const pixKey = yield* openPixKey(live)
    assert.deepStrictEqual(yield* create(pixKey), { kind: "created" })
    assert.deepStrictEqual(yield* listOf(live), [pixKey])
    const verified = yield* move(pixKey, "verified")
    assert.deepStrictEqual(yield* create(pixKey), { kind: "created" })
    assert.deepStrictEqual(yield* load(pixKey.id), verified)
    const removed = yield* move(verified, "removed")
    assert.deepStrictEqual(yield* create(pixKey), { kind: "created" })
    assert.deepStrictEqual(yield* load(pixKey.id), removed)
    assert.deepStrictEqual(yield* listOf(live), [])
    assert.deepStrictEqual(yield* operatorList("live", "pending_approval"), [])
    assert.isFalse(yield* holdsValue(removed))
  }),
)

const limit: StoreCase = storeCase(
  `a mode takes ${max} PIX keys and no more; refused and removed ones do not count`,
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const first = yield* openPixKey(live)
    const second = yield* openPixKey(live)
    for (const _ of times(max - 2)) yield* openPixKey(live)
    const oneMore = yield* newPixKey(live)
    assert.deepStrictEqual(yield* create(oneMore), { kind: "limit" })
    assert.isUndefined(yield* load(oneMore.id))
    // A full mode still answers created and exists for what it already has.
    assert.deepStrictEqual(yield* create(first), { kind: "created" })
    const same = yield* newPixKey(live, { valueHash: first.valueHash })
    assert.deepStrictEqual(yield* create(same), { kind: "exists" })
    yield* openPixKey(test)

    yield* move(first, "refused")
    assert.deepStrictEqual(yield* create(oneMore), { kind: "created" })
    assert.deepStrictEqual(yield* create(yield* newPixKey(live)), { kind: "limit" })
    yield* move(yield* move(second, "verified"), "removed")
    assert.deepStrictEqual(yield* create(yield* newPixKey(live)), { kind: "created" })
    assert.deepStrictEqual(yield* create(yield* newPixKey(live)), { kind: "limit" })
  }),
)

const noSeller: StoreCase = storeCase(
  "a PIX key of an unknown seller is not registered",
  Effect.gen(function* () {
    const { seller } = yield* newSeller()
    const pixKey = yield* newPixKey({ sellerId: seller.id, mode: "live" })
    assert.deepStrictEqual(yield* create(pixKey), { kind: "noSeller" })
    assert.isUndefined(yield* load(pixKey.id))
    assert.deepStrictEqual(yield* operatorList("live", "pending_approval"), [])
  }),
)

const life: StoreCase = storeCase(
  "a PIX key moves through its states and is listed only under its current one",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const inStatus = (pixKey: StoredPixKey) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* load(pixKey.id), pixKey)
        for (const status of pixKeyStatuses) {
          const wanted = status === pixKey.status ? [pixKey] : []
          assert.deepStrictEqual(yield* operatorList("live", status), wanted)
        }
        assert.deepStrictEqual(yield* listOf(live), pixKey.status === "removed" ? [] : [pixKey])
      })
    const pending = yield* openPixKey(live)
    yield* inStatus(pending)
    const verified = yield* move(pending, "verified")
    yield* inStatus(verified)
    const removed = yield* move(verified, "removed")
    assert.strictEqual(removed.verifiedAt, verifiedAt)
    yield* inStatus(removed)
  }),
)

const stale: StoreCase = storeCase(
  "a PIX key transition from an outdated state or version, or of an unknown key, writes nothing",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const pending = yield* openPixKey(live)
    const verified = yield* move(pending, "verified")
    const outdated: ReadonlyArray<StoredPixKey> = [
      pending,
      { ...verified, version: 1 },
      { ...verified, version: 3 },
      { ...verified, status: "pending_approval" },
    ]
    for (const pixKey of outdated) {
      for (const to of ["verified", "refused", "removed"] as const) {
        assert.deepStrictEqual(yield* transition(pixKey, to), { kind: "stale" })
      }
    }
    assert.deepStrictEqual(yield* load(pending.id), verified)
    assert.deepStrictEqual(yield* operatorList("live", "verified"), [verified])
    assert.isTrue(yield* holdsValue(verified))
    assert.deepStrictEqual(yield* transition(yield* newPixKey(live), "verified"), { kind: "missing" })
  }),
)

const registrationRace: StoreCase = storeCase(
  "of 20 concurrent registrations of one PIX key value, one is created",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const { valueHash } = yield* newPixKey(live)
    const kinds = yield* Effect.forEach(
      times(20),
      () => Effect.map(Effect.flatMap(newPixKey(live, { valueHash }), create), ({ kind }) => kind),
      inParallel,
    )
    assert.deepStrictEqual(kinds.toSorted(), ["created", ...times(19).map(() => "exists")])
    assert.strictEqual(((yield* listOf(live)) as ReadonlyArray<StoredPixKey>).length, 1)
  }),
)

const limitRace: StoreCase = storeCase(
  "20 concurrent PIX key registrations with room for three create three",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    for (const _ of times(max - 3)) yield* openPixKey(live)
    const kinds = yield* Effect.forEach(
      times(20),
      () => Effect.map(Effect.flatMap(newPixKey(live), create), ({ kind }) => kind),
      inParallel,
    )
    assert.strictEqual(kinds.filter((kind) => kind === "created").length, 3)
    assert.strictEqual(kinds.filter((kind) => kind === "limit").length, 17)
    assert.strictEqual(((yield* listOf(live)) as ReadonlyArray<StoredPixKey>).length, max)
  }),
)

const transitionRace: StoreCase = storeCase(
  "of 20 concurrent decisions on a PIX key, one is applied",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const pending = yield* openPixKey(live)
    const goals = ["verified", "refused", "removed"] as const
    const answers = yield* Effect.forEach(
      times(20),
      (i) => {
        const to = goals[i % goals.length] ?? "verified"
        return Effect.map(transition(pending, to), ({ kind }) => ({ kind, to }))
      },
      inParallel,
    )
    const applied = answers.filter(({ kind }) => kind === "applied")
    assert.strictEqual(applied.length, 1)
    assert.strictEqual(answers.filter(({ kind }) => kind === "stale").length, 19)
    const now = yield* load(pending.id)
    assert.deepStrictEqual([now?.status, now?.version], [applied[0]?.to, 2])
    for (const status of pixKeyStatuses) {
      const wanted = status === applied[0]?.to ? [pending.id] : []
      assert.deepStrictEqual(
        (yield* operatorList("live", status)).map(({ id }) => id),
        wanted,
      )
    }
  }),
)

const operatorPages: StoreCase = storeCase(
  "operators list all sellers' PIX keys of a status and mode, newest first, page by page",
  Effect.gen(function* () {
    const { settings } = yield* Stage
    const shops: Array<Shop> = []
    for (const _ of times(4)) shops.push(yield* openShop())
    const made: Array<StoredPixKey> = []
    for (const shop of [...shops, ...shops]) {
      made.push(yield* openPixKey(shop.live))
      yield* openPixKey(shop.test)
      yield* openPixKey(shop.live, { status: "verified", verifiedAt: createdAt })
    }
    for (const pageSize of [1, 3, 8, 100]) {
      assert.deepStrictEqual(yield* operatorList("live", "pending_approval", pageSize), made.toReversed())
    }
    const store = yield* PixKeyStore
    const foreign = yield* freshId("pk_", settings.partitions - 1)
    const page = { mode: "live", status: "pending_approval", limit: 100 } as const
    // Any id works as a cursor.
    assert.deepStrictEqual(yield* store.listForOperator({ ...page, beforeId: foreign }), made.toReversed())
    const middle = made[4]
    assert.deepStrictEqual(
      yield* store.listForOperator({ ...page, beforeId: middle?.id }),
      made.slice(0, 4).toReversed(),
    )
  }),
)

const validity: StoreCase = storeCase(
  "listing PIX keys needs a valid API key or a session",
  Effect.gen(function* () {
    const { revokeKey } = yield* Stage
    const { sellerId, live, test } = yield* openShop()
    const another = yield* openShop()
    const pixKey = yield* openPixKey(live)
    yield* revokeKey(live)
    assert.deepStrictEqual(yield* listOf(live), { kind: "keyInvalid" })
    assert.deepStrictEqual(yield* listOf({ ...another.live, sellerId }), { kind: "keyInvalid" })
    assert.deepStrictEqual(yield* listOf(test), [])
    assert.deepStrictEqual(yield* listOf(sessionPrincipal(sellerId, "live", "a-user")), [pixKey])
  }),
  { needs: ["revokeKey"] },
)

/** PIX keys (`docs/contract/pix-keys.md#states`). */
export const pixKeyCases: ReadonlyArray<StoreCase> = [
  registration,
  sameValue,
  olderHash,
  freedValue,
  repeatedCreation,
  limit,
  noSeller,
  life,
  stale,
  registrationRace,
  limitRace,
  transitionRace,
  operatorPages,
  validity,
]
