import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { eventsOf, move, nodeFillers, openCharge, openShop, outliveEvents } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, storeCase, timedCase } from "./stage.ts"

const shortRetention = { eventRetentionMillis: 50 }

const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** Charges created in different milliseconds. */
const spacedCharges = (owner: Principal, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.tap(openCharge(owner), () => elapse(3)))

const order: StoreCase = storeCase(
  "a feed's events are numbered from 1 without a gap, under ids that only rise",
  Effect.gen(function* () {
    const shop = yield* openShop()
    const other = yield* openShop()
    yield* Effect.forEach([shop.live, shop.test, other.live, shop.live, shop.live, shop.test], (owner) =>
      openCharge(owner),
    )
    for (const [owner, count] of [
      [shop.live, 3],
      [shop.test, 2],
      [other.live, 1],
      [other.test, 0],
    ] as const) {
      const events = yield* eventsOf(owner)
      assert.deepStrictEqual(
        events.map((event) => event.seq),
        Array.from({ length: count }, (_, index) => index + 1),
      )
      const places = events.map((event) => event.entryId.split("-").map(Number))
      for (const [index, [millis = 0, sequence = 0]] of places.entries()) {
        const [previousMillis = -1, previousSequence = -1] = places[index - 1] ?? []
        assert.isTrue(millis > previousMillis || (millis === previousMillis && sequence > previousSequence))
      }
    }
  }),
)

const readingAfter: StoreCase = storeCase(
  "reading a feed after an entry gives the next ones, oldest first, up to the count asked for",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { live } = yield* openShop()
    const charges = yield* Effect.forEach([1, 2, 3, 4], () => openCharge(live))
    const all = yield* log.readAfter(live, "0", 100)
    assert.deepStrictEqual(
      all.map((event) => event.resourceId),
      charges.map((charge) => charge.id),
    )
    const [a, b, c, d] = all
    assert.deepStrictEqual(yield* log.readAfter(live, "0-0", 2), [a, b] as typeof all)
    assert.deepStrictEqual(yield* log.readAfter(live, a?.entryId ?? "", 2), [b, c] as typeof all)
    assert.deepStrictEqual(yield* log.readAfter(live, d?.entryId ?? "", 2), [])
    assert.deepStrictEqual(
      yield* log.readAfter(live, "1-1", 1),
      [a] as typeof all,
      "an entry that is not kept",
    )
  }),
)

const readingBefore: StoreCase = storeCase(
  "reading a feed backwards gives newest first, from any entry, in a window that includes both ends",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { live } = yield* openShop()
    yield* spacedCharges(live, 4)
    const all = (yield* eventsOf(live)).toReversed()
    const [d, c, b, a] = all
    assert.deepStrictEqual(yield* log.readBefore(live, undefined, {}, 100), all)
    assert.deepStrictEqual(yield* log.readBefore(live, undefined, {}, 2), [d, c] as typeof all)
    assert.deepStrictEqual(yield* log.readBefore(live, c?.entryId, {}, 100), [b, a] as typeof all)
    assert.deepStrictEqual(yield* log.readBefore(live, a?.entryId, {}, 100), [])
    const [fromMillis, toMillis] = [millisOf(b?.entryId ?? ""), millisOf(c?.entryId ?? "")]
    const inside = yield* log.readBefore(live, undefined, { fromMillis, toMillis }, 100)
    assert.deepStrictEqual(inside, [c, b] as typeof all)
    const between = { fromMillis: fromMillis + 1, toMillis: toMillis - 1 }
    assert.deepStrictEqual(yield* log.readBefore(live, undefined, between, 100), [])
    assert.deepStrictEqual(yield* log.readBefore(live, c?.entryId, { fromMillis }, 100), [b] as typeof all)
    assert.deepStrictEqual(yield* log.readBefore(live, b?.entryId, { fromMillis }, 100), [])
  }),
)

const trimming: StoreCase = storeCase(
  "appending to a feed drops its events past retention; seq goes on and other feeds stay",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { live, test } = yield* openShop()
    const old = yield* openCharge(live)
    const kept = yield* openCharge(test)
    const [oldEvent] = yield* eventsOf(live)
    const oldId = oldEvent?.entryId ?? ""
    const newest = yield* outliveEvents(live)
    const events = yield* eventsOf(live)
    const last = events.at(-1)
    assert.strictEqual(last?.resourceId, newest.id)
    assert.strictEqual(last?.seq, nodeFillers + 2, "seq goes on")
    assert.notStrictEqual(events[0]?.entryId, oldId)
    assert.deepStrictEqual(yield* log.getMany(live, [oldId]), [])
    assert.strictEqual(yield* log.newest(live), last?.entryId)
    assert.deepStrictEqual(yield* log.readAfter(live, oldId, 1), events.slice(0, 1), "the oldest kept")
    yield* move(old, "paid")
    assert.strictEqual((yield* eventsOf(live)).at(-1)?.seq, nodeFillers + 3, "the charge itself stays")
    assert.strictEqual((yield* eventsOf(test))[0]?.resourceId, kept.id, "no other feed is trimmed")
  }),
  { settings: shortRetention },
)

/** Event feeds (`docs/contract/events.md#sequence`). */
export const eventLogCases: ReadonlyArray<StoreCase> = [
  order,
  readingAfter,
  readingBefore,
  storeCase(
    "reading feed entries by id keeps the order asked for and leaves out unknown ones",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { live } = yield* openShop()
      yield* Effect.forEach([1, 2, 3], () => openCharge(live))
      const [a, b, c] = yield* eventsOf(live)
      const ids = [c, a, b].map((event) => event?.entryId ?? "")
      const found = yield* log.getMany(live, ["1-1", ids[0] ?? "", ids[1] ?? "", ids[2] ?? ""])
      assert.deepStrictEqual(found, [c, a, b] as typeof found)
      assert.deepStrictEqual(yield* log.getMany(live, []), [])
    }),
  ),
  storeCase(
    "a resource's entries are listed oldest first, in its own feed only",
    Effect.gen(function* () {
      const log = yield* EventLog
      const shop = yield* openShop()
      const other = yield* openShop()
      const charge = yield* openCharge(shop.live)
      yield* openCharge(shop.live)
      yield* move(yield* move(charge, "paid"), "refunded")
      const entries = yield* log.getMany(shop.live, yield* log.entriesOfResource(shop.live, charge.id))
      assert.deepStrictEqual(
        entries.map((event) => [event.resourceId, event.type]),
        ["created", "paid", "refunded"].map((word) => [charge.id, `transaction.${word}`]),
      )
      assert.deepStrictEqual(yield* log.entriesOfResource(shop.test, charge.id), [])
      assert.deepStrictEqual(yield* log.entriesOfResource(other.live, charge.id), [])
      assert.deepStrictEqual(yield* log.entriesOfResource(shop.live, "txn_nothing-like-an-id"), [])
    }),
  ),
  storeCase(
    "a feed's newest entry is the last one written, or 0-0 if it is empty",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { live } = yield* openShop()
      assert.strictEqual(yield* log.newest(live), "0-0")
      yield* Effect.forEach([1, 2, 3], () => openCharge(live))
      assert.strictEqual(yield* log.newest(live), (yield* eventsOf(live)).at(-1)?.entryId)
    }),
  ),
  trimming,
  timedCase(
    "an event is kept for exactly its retention, and not a millisecond longer",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const { id } = yield* openCharge(live)
      yield* elapse(1_000)
      yield* openCharge(live)
      assert.strictEqual((yield* eventsOf(live))[0]?.resourceId, id)
      yield* elapse(1)
      yield* openCharge(live)
      assert.deepStrictEqual(
        (yield* eventsOf(live)).map((event) => event.seq),
        [2, 3],
      )
    }),
    { eventRetentionMillis: 1_000 },
  ),
  timedCase(
    "a feed entry's id is the millisecond of its writing, with a counter within it",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const now = yield* nowMillis
      yield* openCharge(live)
      yield* openCharge(live)
      yield* elapse(1)
      yield* openCharge(live)
      assert.deepStrictEqual(
        (yield* eventsOf(live)).map((event) => event.entryId),
        [`${now}-0`, `${now}-1`, `${now + 1}-0`],
      )
    }),
  ),
]
