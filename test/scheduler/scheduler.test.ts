import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import { identifiers, type Share, startProcess } from "../actors/support/process.ts"
import { down, makeReceivers } from "../actors/support/scriptedSender.ts"
import { pass, settle } from "../actors/support/settle.ts"
import { chargeNow, createCharge, openEndpoint, openShop } from "../actors/support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../actors/support/store.ts"
import { MemoryStore } from "../model/state.ts"

const paidAfterMillis = 3_000
const sweep = limits.sweepIntervalMillis

/** A share of the partitions that the test grants and takes away, and how often it was released. */
const makeShare = (...given: ReadonlyArray<number>) => {
  const share = { held: new Set(given), released: 0 }
  const port: Share = {
    rebalance: Effect.sync(() => new Set(share.held)),
    releaseAll: Effect.sync(() => {
      share.released += 1
    }),
  }
  return { share, port }
}

/** Runs a program whose clock is ahead by what it says; sleeps take as long as ever. */
const withClockAhead = <A, E, R>(program: (ahead: { millis: number }) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const ahead = { millis: 0 }
    const now = () => clock.currentTimeMillisUnsafe() + ahead.millis
    const moved: Clock.Clock = Object.create(clock, {
      currentTimeMillisUnsafe: { value: now },
      currentTimeMillis: { value: Effect.sync(now) },
    })
    return yield* Effect.provideService(program(ahead), Clock.Clock, moved)
  })

describe("the scheduler's timers", () => {
  it.effect("more due timers than one claim takes all fire at their due time", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess()
        const count = 2 * limits.timersPerClaim + 1
        const charges = yield* Effect.forEach(Array.from({ length: count }), () =>
          createCharge(process, shop.test),
        )
        yield* pass(paidAfterMillis)

        for (const { id } of charges) {
          const { paid_at } = yield* chargeNow(id)
          assert.strictEqual(paid_at, new Date(startMillis + paidAfterMillis).toISOString())
        }
      }),
    ),
  )

  it.effect("a due timer of a charge that no longer exists is dropped", () =>
    onStore(
      Effect.gen(function* () {
        const { timers } = yield* MemoryStore
        const resourceId = identifiers.id("txn_", 0, startMillis)
        const name = `${resourceId}:expire`
        timers.set(name, { name: "expire", resourceId, dueMillis: startMillis + 10 })
        yield* startProcess()
        assert.isTrue(timers.has(name))
        yield* pass(10)

        assert.isFalse(timers.has(name))
      }),
    ),
  )

  it.effect("an idle partition costs one look per sweep interval, and no claim", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        yield* createCharge(process, shop.test)
        yield* pass(60_000)
        const before = { ...Object.fromEntries(faults.calls) }
        yield* pass(100 * sweep)

        const callsOf = (operation: string) => (faults.calls.get(operation) ?? 0) - (before[operation] ?? 0)
        assert.isAtLeast(callsOf("nextDue"), 99)
        assert.isAtMost(callsOf("nextDue"), 101)
        assert.deepStrictEqual([callsOf("claimTimers"), callsOf("dueDestinations")], [0, 0])
      }),
    ),
  )
})

describe("hints", () => {
  it.effect("a hint makes a delivery prompt; without hints the next sweep finds it", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        // Paid at an odd time, on which no sweep falls.
        const process = yield* startProcess({ simulator: { delayMillis: 3_210 } })
        yield* createCharge(process, shop.test)
        yield* pass(3_210)
        assert.strictEqual(process.receivers.sentTo(url).length, 1)
        faults.areWakesLost = true
        yield* createCharge(process, shop.test)
        yield* pass(3_210 + sweep)

        assert.strictEqual(process.receivers.sentTo(url).length, 2)
      }),
    ),
  )

  it.effect("a lookAgain wake finds owed deliveries at once after hints were lost", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        const process = yield* startProcess({ simulator: { delayMillis: 3_210 } })
        faults.areWakesLost = true
        yield* createCharge(process, shop.test)
        yield* pass(3_210)
        assert.strictEqual(process.receivers.sentTo(url).length, 0)
        faults.areWakesLost = false
        for (const listener of (yield* MemoryStore).wakeListeners) listener({ kind: "lookAgain" })
        yield* settle

        assert.strictEqual(process.receivers.sentTo(url).length, 1)
      }),
    ),
  )

  it.effect("a timer hint for a partition that another process runs causes no claim", () =>
    onStore(
      Effect.gen(function* () {
        const { wakeListeners } = yield* MemoryStore
        const { port } = makeShare(0)
        yield* startProcess({ share: port })
        const faults = yield* StoreFaults
        const before = faults.calls.get("claimTimers") ?? 0
        for (const listener of wakeListeners)
          listener({ kind: "timer", partition: 1, dueMillis: startMillis })
        yield* pass(100)

        assert.strictEqual(faults.calls.get("claimTimers") ?? 0, before)
      }),
      2,
    ),
  )
})

describe("the machine's clock", () => {
  it.effect("retries keep their schedule after the machine's clock was set back by an hour", () =>
    onStore(
      withClockAhead((ahead) =>
        Effect.gen(function* () {
          ahead.millis = 3_600_000
          const shop = yield* openShop()
          const { url } = yield* openEndpoint(shop.test)
          const receivers = makeReceivers()
          receivers.script(url, down)
          const process = yield* startProcess({ receivers })
          yield* pass(2_000)
          ahead.millis = 0
          yield* pass(2_000)
          yield* createCharge(process, shop.test)
          yield* pass(paidAfterMillis)
          assert.strictEqual(receivers.sentTo(url).length, 1)
          // Retries follow after one minute and after five more.
          yield* Effect.forEach(Array.from({ length: 14 }), () => pass(30_000))

          assert.strictEqual(receivers.sentTo(url).length, 3)
        }),
      ),
    ),
  )
})
