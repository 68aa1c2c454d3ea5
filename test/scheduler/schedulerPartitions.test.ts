import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestConsole } from "effect/testing"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { type Process, type Share, startProcess } from "../actors/support/process.ts"
import { pass } from "../actors/support/settle.ts"
import { chargeNow, createCharge, openEndpoint, openShop, type Shop } from "../actors/support/shop.ts"
import { onStore, StoreFaults } from "../actors/support/store.ts"

const paidAfterMillis = 3_000
const sweep = limits.sweepIntervalMillis
const lagOf = ({ scheduler }: Process) => Effect.map(Clock.currentTimeMillis, scheduler.lagMillis)

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

const isPaid = (id: string) => Effect.map(chargeNow(id), ({ status }) => status === "paid")

describe("the partitions of a process", () => {
  const openIn = (process: Process, shops: ReadonlyArray<Shop>) =>
    Effect.forEach(shops, (shop) => createCharge(process, shop.test))

  it.effect("a process runs the partitions it holds: new ones at once, lost ones no longer", () =>
    onStore(
      Effect.gen(function* () {
        const shops = [yield* openShop({ partition: 0 }), yield* openShop({ partition: 1 })]
        const { share, port } = makeShare(0)
        const process = yield* startProcess({ share: port })
        const [mine, others] = yield* openIn(process, shops)
        yield* pass(paidAfterMillis)
        assert.strictEqual(process.scheduler.partitionsHeld(), 1)
        assert.deepStrictEqual(
          [yield* isPaid(mine?.id ?? ""), yield* isPaid(others?.id ?? "")],
          [true, false],
        )

        share.held = new Set([1])
        yield* pass(1_000)
        assert.isTrue(yield* isPaid(others?.id ?? ""))
        const [later] = yield* openIn(process, shops)
        yield* pass(2 * paidAfterMillis)
        assert.isFalse(yield* isPaid(later?.id ?? ""))
      }),
      2,
    ),
  )

  it.effect("a partition is served while the store of another partition is away", () =>
    onStore(
      Effect.gen(function* () {
        const shops = [yield* openShop({ partition: 0 }), yield* openShop({ partition: 1 })]
        const endpoints = yield* Effect.forEach(shops, (shop) => openEndpoint(shop.test))
        const faults = yield* StoreFaults
        const { port } = makeShare(0, 1)
        const process = yield* startProcess({ share: port })
        const [away, here] = yield* openIn(process, shops)
        faults.areWakesLost = true
        for (const operation of ["nextDue 0", "claimTimers 0", "dueDestinations 0"])
          faults.away.add(operation)
        // The store of the other answers, but not in the same instant.
        for (const operation of ["nextDue 1", "claimTimers 1", "dueDestinations 1"])
          faults.delaysMillis.set(operation, 5)
        yield* pass(paidAfterMillis + 2 * sweep)

        assert.isFalse(yield* isPaid(away?.id ?? ""))
        assert.isTrue(yield* isPaid(here?.id ?? ""))
        assert.strictEqual(process.receivers.sentTo(endpoints[1]?.url ?? "").length, 1)
        faults.away.clear()
        yield* pass(2 * sweep)
        assert.isTrue(yield* isPaid(away?.id ?? ""))
        assert.strictEqual(process.receivers.sentTo(endpoints[0]?.url ?? "").length, 1)
      }),
      2,
    ),
  )

  it.effect("a partition's deliveries go out while its timers cannot be claimed", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        const faults = yield* StoreFaults
        const process = yield* startProcess({ simulator: { delayMillis: 3_210 } })
        yield* createCharge(process, shop.test)
        faults.areWakesLost = true
        yield* pass(3_210)
        faults.away.add("claimTimers")
        faults.delaysMillis.set("dueDestinations", 5)
        yield* pass(sweep)

        assert.strictEqual(process.receivers.sentTo(url).length, 1)
      }),
    ),
  )

  it.effect("a partition is looked at again within 100 ms of a failed look", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess({ simulator: { delayMillis: 3_210 } })
        const { id } = yield* createCharge(process, shop.test)
        yield* pass(3_209)
        faults.away.add("claimTimers")
        yield* pass(1)
        faults.away.clear()
        yield* pass(100)

        assert.isTrue(yield* isPaid(id))
      }),
    ),
  )

  it.effect("a partition keeps running after a defect in a look, which is logged", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        const { id } = yield* createCharge(process, shop.test)
        faults.broken.add("nextDue").add("claimTimers").add("dueDestinations")
        yield* pass(paidAfterMillis)
        assert.include((yield* TestConsole.logLines).join("\n"), "is broken")
        faults.broken.clear()
        yield* pass(sweep)

        assert.isTrue(yield* isPaid(id))
      }),
    ),
  )
})

describe("more due destinations than one look returns", () => {
  it.effect("due destinations beyond the limit of one look are all woken within two seconds", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const first = yield* startProcess()
        const count = 2 * limits.dueDestinationsPerLook + 100
        yield* Effect.forEach(Array.from({ length: count }), (_, i) =>
          createCharge(first, shop.test, { body: { postback_url: `https://shop${i}.example/hooks` } }),
        )
        // The first process dies before the charges are paid; the next one fires their timers and delivers.
        yield* pass(1_000)
        yield* first.kill
        yield* pass(60_000)
        faults.delaysMillis.set("dueDestinations", 2)
        const process = yield* startProcess()
        yield* pass(2_000)

        assert.strictEqual(process.receivers.sent.length, count)
      }),
    ),
  )
})

describe("the scheduler's lag", () => {
  it.effect("the scheduler's lag stays within one sweep interval while it keeps up", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        for (let i = 0; i < 20; i++) {
          yield* pass(333)
          assert.isAtMost(yield* lagOf(process), sweep)
        }
      }),
    ),
  )

  it.effect("the scheduler's lag grows while the store is away and recovers within one sweep", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        faults.away.add("nextDue")
        yield* pass(10_000)
        assert.isAtLeast(yield* lagOf(process), 10_000 - sweep)
        faults.away.clear()
        yield* pass(sweep)

        assert.isAtMost(yield* lagOf(process), sweep)
      }),
    ),
  )
})

describe("a rebalance that fails", () => {
  it.effect("a failed rebalance leaves the process its partitions and is retried", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        let calls = 0
        const rebalance: Share["rebalance"] = Effect.suspend(() => {
          calls += 1
          return calls === 1
            ? Effect.succeed(new Set([0]))
            : Effect.fail(new StoreUnavailable({ operation: "rebalance", reason: "away for the test" }))
        })
        const process = yield* startProcess({ share: { rebalance } })
        const { id } = yield* createCharge(process, shop.test)
        yield* pass(paidAfterMillis)

        assert.isTrue(yield* isPaid(id))
        assert.isAbove(calls, 2)
      }),
    ),
  )
})

describe("a stopped scheduler", () => {
  it.effect("a stopped scheduler releases its partitions once and starts nothing more", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        const { share, port } = makeShare(0)
        const process = yield* startProcess({ share: port })
        const { id } = yield* createCharge(process, shop.test)
        yield* pass(1_000)
        yield* process.scheduler.stop
        yield* pass(60_000)

        assert.strictEqual(share.released, 1)
        assert.strictEqual(process.scheduler.partitionsHeld(), 0)
        assert.isFalse(yield* isPaid(id))
        assert.strictEqual(process.receivers.sentTo(url).length, 0)
      }),
    ),
  )

  it.effect("a stopped scheduler wakes no endpoint actor for what another process commits", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        const stopped = yield* startProcess()
        yield* stopped.scheduler.stop
        // Fires the timer, whose transition owes the delivery, and makes the delivery.
        const other = yield* startProcess()
        yield* createCharge(other, shop.test)
        yield* pass(paidAfterMillis)

        assert.strictEqual(stopped.receivers.sentTo(url).length, 0)
        assert.strictEqual(other.receivers.sentTo(url).length, 1)
        assert.strictEqual(stopped.endpoints.size(), 0)
      }),
    ),
  )

  it.effect("a scheduler stopped during a rebalance releases after it and takes no partition back", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const log: Array<string> = []
        const share: Share = {
          rebalance: Effect.gen(function* () {
            log.push("rebalance begins")
            yield* Effect.sleep(500)
            log.push("rebalance ends")
            return new Set([0])
          }),
          releaseAll: Effect.sync(() => void log.push("released")),
        }
        const process = yield* startProcess({ share })
        const { id } = yield* createCharge(process, shop.test)
        yield* pass(1_700)
        assert.strictEqual(log.at(-1), "rebalance begins")
        yield* Effect.forkChild(process.scheduler.stop)
        yield* pass(60_000)

        assert.strictEqual(log.at(-1), "released")
        assert.strictEqual(log.filter((line) => line === "released").length, 1)
        assert.strictEqual(process.scheduler.partitionsHeld(), 0)
        assert.isFalse(yield* isPaid(id))
      }),
    ),
  )
})
