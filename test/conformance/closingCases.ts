import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ClosingStore, type DayMovements, type StoredClosing } from "../../actors/ports/closingStore.ts"
import { type Amounts, noAmounts } from "../../actors/values/closing.ts"
import { openShop } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase } from "./stage.ts"

const amounts = (some: Partial<Amounts>): Amounts => ({ ...noAmounts, ...some })
const gained = amounts({ available: 100, external: -109, fees: 9 })
const spent = amounts({ available: -40, pending_withdraw: 40 })

const dayOf = (day: string, closing: Amounts, movements: DayMovements["movements"] = {}): DayMovements => ({
  day,
  movements,
  closing,
})
const first = dayOf("2026-11-20", gained, { charge_paid: gained })
const last = dayOf("2026-11-22", amounts({ available: -5, external: Number.MIN_SAFE_INTEGER }), {
  charge_paid: gained,
  withdrawal_held: spent,
})

const applied = { kind: "applied" } as const
const stale = { kind: "stale" } as const
const leaseMillis = 60_000

const claimed = Effect.gen(function* () {
  const lease = yield* (yield* ClosingStore).claim("one", leaseMillis)
  if (lease === undefined) return yield* Effect.die(new Error("the lease is taken"))
  return lease
})

const lease: StoreCase = storeCase(
  "days are closed by one process at a time; the next one has a higher fence, and so has one that was away",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const one = yield* store.claim("one", leaseMillis)
    assert.strictEqual(yield* store.claim("two", leaseMillis), undefined)
    yield* store.claim("one", 20)
    yield* elapse(40)
    const two = yield* store.claim("two", leaseMillis)
    assert.isAbove(two?.fence ?? 0, one?.fence ?? 0)
    assert.isAtLeast(two?.nowMillis ?? 0, (one?.nowMillis ?? 0) + 20)
    assert.strictEqual(yield* store.claim("one", leaseMillis), undefined)
    assert.strictEqual((yield* store.claim("two", 20))?.fence, two?.fence)
    yield* elapse(40)
    assert.isAbove((yield* store.claim("two", 20))?.fence ?? 0, two?.fence ?? 0)
  }),
)

const ofSellers: StoreCase = storeCase(
  "a seller's closing stands until its next one, belongs to one mode, and is written once",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const held = yield* claimed
    const { live, test } = yield* openShop()
    assert.strictEqual(yield* store.ofSeller(live, "2026-11-20"), undefined)
    assert.deepStrictEqual(yield* store.closeSeller(held, live, first), applied)
    assert.deepStrictEqual(yield* store.closeSeller(held, live, last), applied)
    for (const repeated of [dayOf("2026-11-22", gained), dayOf("2026-11-21", gained)]) {
      assert.deepStrictEqual(yield* store.closeSeller(held, live, repeated), applied)
    }
    const found = yield* Effect.forEach(
      ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2027-01-01"],
      (day) => store.ofSeller(live, day),
    )
    assert.deepStrictEqual(found, [undefined, first, first, last, last])
    assert.strictEqual(yield* store.ofSeller(test, "2026-11-22"), undefined)
  }),
)

const ofParts: StoreCase = storeCase(
  "a partition remembers the last day that is closed, and keeps its sums of days on which something moved",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const held = yield* claimed
    assert.strictEqual(yield* store.lastOfPart(3, "live"), undefined)
    assert.deepStrictEqual(yield* store.closePart(held, 3, "live", first), applied)
    const quiet = dayOf("2026-11-21", first.closing)
    assert.deepStrictEqual(yield* store.closePart(held, 3, "live", quiet), applied)
    assert.strictEqual(yield* store.lastOfPart(3, "live"), "2026-11-21")
    assert.deepStrictEqual(yield* store.ofPart(3, "live", "2026-11-21"), first)
    assert.deepStrictEqual(yield* store.closePart(held, 3, "live", dayOf("2026-11-21", spent)), applied)
    assert.deepStrictEqual(yield* store.closePart(held, 3, "live", last), applied)
    assert.deepStrictEqual(yield* store.ofPart(3, "live", "2026-11-21"), first)
    assert.deepStrictEqual(yield* store.ofPart(3, "live", "2026-12-31"), last)
    assert.strictEqual(yield* store.ofPart(3, "live", "2026-11-19"), undefined)
    assert.strictEqual(yield* store.ofPart(3, "test", "2026-12-31"), undefined)
    assert.strictEqual(yield* store.lastOfPart(4, "live"), undefined)
  }),
)

const wholes: StoreCase = storeCase(
  "closings are listed newest first below a day, each written once with the time of its writing",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const held = yield* claimed
    const partner = {
      ...{ received: 109, sent: 40, returned: 0, difference: -3 },
      ...{ balance: 0, balanceDifference: -7 },
    }
    const untold = { ...partner, balance: null, balanceDifference: null }
    yield* store.closeWhole(held, "live", { ...first, partner: untold })
    yield* store.closeWhole(held, "live", { ...last, partner })
    yield* store.closeWhole(held, "live", { ...last, partner: undefined })
    yield* store.closeWhole(held, "test", { ...first, partner: undefined })
    const listed = yield* store.list("live", undefined, 10)
    assert.deepStrictEqual(
      listed.map(({ createdAtMillis: _, ...closing }) => closing as Omit<StoredClosing, "createdAtMillis">),
      [
        { ...last, partner },
        { ...first, partner: untold },
      ],
    )
    for (const { createdAtMillis } of listed) assert.isAtLeast(createdAtMillis, held.nowMillis)
    assert.deepStrictEqual(yield* store.list("live", undefined, 1), listed.slice(0, 1))
    assert.deepStrictEqual(yield* store.list("live", "2026-11-22", 10), listed.slice(1))
    assert.deepStrictEqual(yield* store.list("live", "2026-11-20", 10), [])
    assert.deepStrictEqual(yield* store.get("live", "2026-11-22"), listed[0])
    assert.strictEqual(yield* store.get("live", "2026-11-21"), undefined)
    assert.strictEqual((yield* store.list("test", undefined, 10)).length, 1)
  }),
)

const fences: StoreCase = storeCase(
  "a process that has lost the lease writes nothing where its successor has written",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const old = yield* store.claim("one", 20)
    yield* elapse(40)
    const held = yield* store.claim("two", leaseMillis)
    if (old === undefined || held === undefined) return yield* Effect.die(new Error("no lease"))
    const { live, partition } = yield* openShop()
    yield* store.closePart(held, partition, "live", first)
    assert.deepStrictEqual(yield* store.closeSeller(old, live, last), stale)
    assert.deepStrictEqual(yield* store.closePart(old, partition, "live", last), stale)
    assert.deepStrictEqual(yield* store.closeWhole(old, "live", { ...last, partner: undefined }), stale)
    assert.strictEqual(yield* store.ofSeller(live, "2026-12-31"), undefined)
    assert.strictEqual(yield* store.lastOfPart(partition, "live"), "2026-11-20")
    assert.deepStrictEqual(yield* store.list("live", undefined, 10), [])
  }),
)

const sellers: StoreCase = storeCase(
  "a partition's sellers are read oldest first, page by page",
  Effect.gen(function* () {
    const store = yield* ClosingStore
    const shops = yield* Effect.forEach([1, 2, 3], () => openShop())
    const partition = shops[0]?.partition ?? 0
    const ids = shops.filter((shop) => shop.partition === partition).map(({ sellerId }) => sellerId)
    const found = yield* store.sellers(partition, "", 10)
    assert.deepStrictEqual([...found], ids.toSorted())
    assert.deepStrictEqual(yield* store.sellers(partition, "", 1), found.slice(0, 1))
    assert.deepStrictEqual(yield* store.sellers(partition, found[0] ?? "", 10), found.slice(1))
  }),
)

/** Closings of days (`docs/contract/closings.md`). */
export const closingCases: ReadonlyArray<StoreCase> = [lease, ofSellers, ofParts, wholes, fences, sellers]
