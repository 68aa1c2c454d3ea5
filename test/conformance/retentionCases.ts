import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { Retention } from "../../actors/ports/retention.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { allAttempts, claimOne, record, succeeded } from "./attempts.ts"
import { eventsOf, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, type StoreCase, shortRetentionMillis, storeCase, timedCase } from "./stage.ts"
import { testDataCases } from "./testDataCases.ts"

const short = { eventRetentionMillis: shortRetentionMillis }
const past = elapse(short.eventRetentionMillis + 20)

/** Trims the seller's partition, all steps, and returns how much was dropped. */
const trim = Effect.fnUntraced(function* ({ sellerId }: Principal) {
  const retention = yield* Retention
  const dropped = { events: 0, attempts: 0 }
  let from: string | undefined
  do {
    const step = yield* retention.trim(partitionOfId(sellerId) ?? 0, from)
    dropped.events += step.events
    dropped.attempts += step.attempts
    from = step.next
  } while (from !== undefined)
  return dropped
})

/** What is past retention goes, though nobody writes any more (`docs/contract/events.md#retention`). */
export const retentionCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "the feeds of both modes lose what is past retention though nobody appends to them",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { live, test } = yield* openShop()
      yield* Effect.forEach([live, live, test], (owner) => openCharge(owner))
      const newest = (yield* eventsOf(live)).at(-1)?.entryId ?? ""
      assert.deepStrictEqual(yield* trim(live), { events: 0, attempts: 0 })
      yield* past
      assert.deepStrictEqual(yield* trim(live), { events: 3, attempts: 0 })

      assert.deepStrictEqual(yield* eventsOf(live), [])
      assert.deepStrictEqual(yield* eventsOf(test), [])
      assert.strictEqual(yield* log.newest(live), newest)
      assert.deepStrictEqual(yield* trim(live), { events: 0, attempts: 0 })
      yield* openCharge(live)
      assert.deepStrictEqual(
        (yield* eventsOf(live)).map(({ seq }) => seq),
        [3],
      )
    }),
    { settings: short },
  ),
  storeCase(
    "trimming keeps events within retention, and other partitions' feeds",
    Effect.gen(function* () {
      const one = yield* openShop()
      let other = yield* openShop()
      while (other.partition === one.partition) other = yield* openShop()
      yield* openCharge(one.live)
      yield* openCharge(other.live)
      yield* past
      const kept = yield* openCharge(one.live)
      yield* trim(one.live)
      assert.deepStrictEqual(
        (yield* eventsOf(one.live)).map(({ resourceId, seq }) => [resourceId, seq]),
        [[kept.id, 2]],
      )
      assert.strictEqual((yield* eventsOf(other.live)).length, 1)
    }),
    { settings: short },
  ),
  storeCase(
    "ids of attempts past retention leave the lists though nothing is delivered any more",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const endpoint = yield* openEndpoint(live)
      yield* openPaidCharge(live)
      yield* record(yield* claimOne(endpoint.id), succeeded)
      assert.strictEqual((yield* trim(live)).attempts, 0)
      assert.strictEqual((yield* allAttempts(live)).length, 1)
      yield* past
      assert.strictEqual((yield* trim(live)).attempts, 1)
      assert.deepStrictEqual(yield* allAttempts(live), [])
    }),
    { settings: short },
  ),
  timedCase(
    "trimming keeps an event for exactly its retention, and not a millisecond longer",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      yield* openPaidCharge(live)
      yield* elapse(shortRetentionMillis)
      assert.deepStrictEqual(yield* trim(live), { events: 0, attempts: 0 })
      yield* elapse(1)
      assert.strictEqual((yield* trim(live)).events, 2)
    }),
    short,
  ),
  ...testDataCases,
]
