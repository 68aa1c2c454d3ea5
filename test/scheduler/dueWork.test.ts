import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { limits } from "../../schema/limits.ts"
import { type Process, startProcess } from "../actors/support/process.ts"
import { pass, settle } from "../actors/support/settle.ts"
import {
  chargeNow,
  createCharge,
  eventTypesOf,
  openEndpoint,
  openShop,
  requestCharge,
  type Shop,
} from "../actors/support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../actors/support/store.ts"
import { MemoryStore } from "../model/state.ts"

const paidAfterMillis = 3_000
/** How long each payment takes to commit. */
const commitMillis = 200

/** Requests whose delay is just above the limit at which due work yields, with none in progress. */
const waitingRequests = {
  currentMillis: () => limits.dueWorkYieldsAboveMillis + 1,
  inProgress: () => 0,
  started: () => performance.now(),
}

const order = (process: Process, shop: Shop, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => createCharge(process, shop.test))

/** How often the timer run looks for due timers in these tests: once per sweep. */
const windowLookMillis = limits.sweepIntervalMillis

/** How many timers are claimed and not yet fired: their lease ends more than `millis` after the start. */
const leased = (millis: number) =>
  Effect.map(
    MemoryStore,
    ({ timers }) =>
      [...timers.values()].filter(({ name, dueMillis }) => name === "ask" && dueMillis > startMillis + millis)
        .length,
  )

const countPaid = (charges: ReadonlyArray<{ readonly id: string }>) =>
  Effect.map(
    Effect.forEach(charges, ({ id }) => chargeNow(id)),
    (now) => now.filter(({ status }) => status === "paid").length,
  )

describe("due timers", () => {
  /** With over twice as many timers due as may be in hand: how many were in hand, and how many charges were paid. */
  const whileDue = (requests: typeof waitingRequests | undefined) =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess(requests === undefined ? {} : { requests })
        // Enough looks for the window to reach its minimum while requests wait.
        yield* Effect.repeat(pass(windowLookMillis), { times: 9 })
        const charges = yield* order(process, shop, 2 * limits.dueTimersInHandMax + 10)
        faults.delaysMillis.set("transition", commitMillis)
        yield* pass(paidAfterMillis)
        const inHand = yield* leased(10 * windowLookMillis + paidAfterMillis)
        yield* pass((Math.ceil(charges.length / limits.dueTimersInHandMin) + 5) * commitMillis)
        return { inHand, paid: yield* countPaid(charges), ordered: charges.length }
      }),
    )

  it.effect("due timers are claimed only up to the maximum in hand, and all fire in the end", () =>
    Effect.gen(function* () {
      const { inHand, paid, ordered } = yield* whileDue(undefined)

      assert.strictEqual(inHand, limits.dueTimersInHandMax)
      assert.strictEqual(paid, ordered)
    }),
  )

  it.effect("only the minimum of due timers is in hand while requests wait, and all fire in the end", () =>
    Effect.gen(function* () {
      const { inHand, paid, ordered } = yield* whileDue(waitingRequests)

      assert.strictEqual(inHand, limits.dueTimersInHandMin)
      assert.strictEqual(paid, ordered)
    }),
  )

  it.effect("a seller's request is answered while its due timers are being fired", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        const charges = yield* order(process, shop, 2 * limits.dueTimersInHandMax)
        faults.delaysMillis.set("transition", 2_000)
        yield* pass(paidAfterMillis)
        assert.strictEqual(yield* countPaid(charges), 0)
        const asker = yield* Effect.forkChild(requestCharge(process, shop.test))
        yield* settle

        assert.isDefined(asker.pollUnsafe())
        assert.strictEqual((yield* Fiber.join(asker)).kind, "answered")
      }),
    ),
  )

  it.effect("a partition with few due timers does not wait until one with many is done", () =>
    onStore(
      Effect.gen(function* () {
        const [many, few] = [yield* openShop({ partition: 0 }), yield* openShop({ partition: 1 })]
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        // One more round than there are commits below.
        const charges = yield* order(process, many, 3 * limits.dueTimersInHandMax)
        const [late] = yield* order(process, few, 1)
        faults.delaysMillis.set("transition", commitMillis)
        yield* pass(paidAfterMillis)
        yield* pass(commitMillis)
        yield* pass(commitMillis)

        assert.strictEqual((yield* chargeNow(late?.id ?? "")).status, "paid")
        assert.isBelow(yield* countPaid(charges), charges.length)
      }),
      2,
    ),
  )

  it.effect("a timer fires once although its lease ends before its commit does", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        const charges = yield* order(process, shop, 5)
        faults.delaysMillis.set("transition", limits.timerLeaseMillis + 1_000)
        yield* pass(paidAfterMillis + limits.timerLeaseMillis)
        faults.delaysMillis.clear()
        yield* pass(2 * limits.timerLeaseMillis)

        for (const { id } of charges) {
          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "transaction.created",
            "transaction.paid",
          ])
        }
        assert.strictEqual(yield* leased(0), 0)
      }),
    ),
  )

  it.effect("a partition's due timers fire while the store of another partition hangs", () =>
    onStore(
      Effect.gen(function* () {
        const [hung, well] = [yield* openShop({ partition: 0 }), yield* openShop({ partition: 1 })]
        const faults = yield* StoreFaults
        const process = yield* startProcess()
        yield* order(process, hung, 10)
        const charges = yield* order(process, well, 3 * limits.dueTimersInHandMax)
        faults.delaysMillis.set("claimTimers 0", 60_000)
        yield* pass(paidAfterMillis)

        assert.strictEqual(yield* countPaid(charges), charges.length)
      }),
      2,
    ),
  )

  it.effect("a due timer whose charge is missing creates nothing and is dropped", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess()
        const [charge] = yield* order(process, shop, 1)
        const { transactions, timers } = yield* MemoryStore
        transactions.delete(charge?.id ?? "")
        yield* pass(paidAfterMillis)

        assert.isUndefined(yield* (yield* TransactionStore).load(charge?.id ?? ""))
        assert.isFalse([...timers.values()].some(({ name }) => name === "ask"))
      }),
    ),
  )
})

describe("deliveries that are due at once", () => {
  it.effect("due deliveries begin a few at a time while requests wait, and all go out", () =>
    onStore(
      Effect.gen(function* () {
        const shops = yield* Effect.forEach(Array.from({ length: 4 }), () => openShop())
        const process = yield* startProcess({ requests: waitingRequests })
        const endpoints = shops.flatMap((shop) =>
          Array.from({ length: limits.endpointsPerModeMax }, () => shop),
        )
        const urls = yield* Effect.forEach(endpoints, (shop) =>
          Effect.map(openEndpoint(shop.test, ["transaction.paid"]), ({ url }) => url),
        )
        for (const url of urls) process.receivers.script(url, { outcome: 200, takesMillis: 50 })
        for (const shop of shops) yield* order(process, shop, 32)
        yield* pass(paidAfterMillis)
        const total = urls.length * 32
        assert.isAtMost(process.receivers.sent.length, limits.attemptsBegunMin)
        assert.isBelow(process.endpoints.attemptsInFlight(), total)
        yield* pass(10_000)

        assert.strictEqual(process.receivers.sent.length, total)
        for (const url of urls) assert.strictEqual(process.receivers.sentTo(url).length, 32)
      }),
    ),
  )

  it.effect("a due delivery begins although more attempts than begin at once hang at other receivers", () =>
    onStore(
      Effect.gen(function* () {
        const shops = yield* Effect.forEach(Array.from({ length: 12 }), () => openShop())
        const process = yield* startProcess()
        const urls = yield* Effect.forEach(shops, (shop) =>
          Effect.map(openEndpoint(shop.test, ["transaction.paid"]), ({ url }) => url),
        )
        // More attempts than may begin at once, each slower than this test lasts.
        for (const url of urls.slice(0, 11)) {
          process.receivers.script(url, { outcome: 200, takesMillis: 9_000 })
        }
        for (const shop of shops.slice(0, 11)) yield* order(process, shop, 32)
        yield* pass(10)
        for (const shop of shops.slice(11)) yield* order(process, shop, 1)
        yield* pass(paidAfterMillis + 1_000)

        assert.strictEqual(process.receivers.sentTo(urls[11] ?? "").length, 1)
      }),
    ),
  )
})
