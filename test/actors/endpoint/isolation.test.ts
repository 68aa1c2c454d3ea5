import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { limits } from "../../../schema/limits.ts"
import { type Process, startProcess } from "../support/process.ts"
import { down, hangs, ok, type Reception, unreachable } from "../support/scriptedSender.ts"
import { pass, settle } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop, type Shop } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

/** How long after their creation charges are paid, which is their one delivered event. */
const paidAfterMillis = 3_000
const windowMax = limits.attemptsInFlightPerDestination

const order = (process: Process, shop: Shop, count: number, postbackUrl?: string) =>
  Effect.forEach(Array.from({ length: count }), () =>
    createCharge(
      process,
      shop.test,
      postbackUrl === undefined ? {} : { body: { postback_url: postbackUrl } },
    ),
  )

/** A shop with one endpoint, whose receiver responds as scripted. */
const open = (...receptions: ReadonlyArray<Reception>) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const { id, url } = yield* openEndpoint(shop.test, ["transaction.paid"])
    const process = yield* startProcess()
    const { receivers } = process
    receivers.script(url, ...receptions)
    /** How many attempts are under way at that endpoint. */
    const underWay = () => receivers.openAt(url)
    return { shop, id, url, process, receivers, underWay }
  })

/** So many destinations of one shop: endpoints as far as it may have them, and the postback of its charges. */
const openWide = (process: Process, count: number, reception: Reception) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const endpoints = yield* Effect.forEach(Array.from({ length: count - 1 }), () =>
      openEndpoint(shop.test, ["transaction.paid"]),
    )
    const postbackUrl = `https://${shop.sellerId.slice(-4).toLowerCase()}.example/postback`
    const urls = [postbackUrl, ...endpoints.map(({ url }) => url)]
    for (const url of urls) process.receivers.script(url, reception)
    return { urls, order: (charges: number) => order(process, shop, charges, postbackUrl) }
  })
const wideMax = limits.endpointsPerModeMax + 1

const repeat = (count: number, reception: Reception) => Array.from({ length: count }, () => reception)

describe("a destination that hangs", () => {
  it.effect("a destination that hangs holds only its window of attempts and delays no other", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, url, process, receivers } = yield* open(hangs)
        const healthy = yield* openEndpoint(shop.test, ["transaction.paid"])
        const postbackUrl = "https://other.example/postback"
        const ordered = 2 * windowMax
        yield* order(process, shop, ordered, postbackUrl)
        yield* pass(paidAfterMillis)

        assert.strictEqual(receivers.sentTo(url).length, windowMax)
        for (const other of [healthy.url, postbackUrl]) {
          const sent = receivers.sentTo(other)
          assert.strictEqual(sent.length, ordered)
          assert.isTrue(sent.every(({ atMillis }) => atMillis === startMillis + paidAfterMillis))
        }
        yield* pass(9_999)
        assert.strictEqual(receivers.sentTo(url).length, windowMax)
        assert.strictEqual(receivers.mostOpenAt(url), windowMax)
      }),
    ),
  )

  it.effect("a destination that hung gets one attempt at a time, and its full window as it answers", () =>
    onStore(
      Effect.gen(function* () {
        const slow = { outcome: 204, takesMillis: 1_000 }
        const { shop, process, underWay } = yield* open(...repeat(windowMax, hangs), slow)
        yield* order(process, shop, 7 * windowMax)
        yield* pass(paidAfterMillis)
        assert.strictEqual(underWay(), windowMax)
        // All time out at once: halved again and again, down to one.
        yield* pass(limits.attemptTimeoutMillis)
        assert.strictEqual(underWay(), 1)
        const sizes: Array<number> = []
        for (let size = 1; size <= windowMax; size = Math.min(2 * size, windowMax + 1)) {
          sizes.push(underWay())
          yield* pass(1_000)
        }

        // Each success opens one place more: the window doubles with every round.
        assert.deepStrictEqual(sizes, [1, 2, 4, 8, 16, 32, 64])
        yield* pass(3_000)
        assert.strictEqual(underWay(), windowMax)
      }),
    ),
  )

  for (const [what, reception, underWay] of [
    ["cannot be reached has its window cut like one that hangs", unreachable, 1],
    ["answers with errors keeps its window", down, windowMax],
  ] as const) {
    it.effect(`a destination that ${what}`, () =>
      onStore(
        Effect.gen(function* () {
          const first = repeat(windowMax, { ...reception, takesMillis: 10 })
          const opened = yield* open(...first, hangs)
          yield* order(opened.process, opened.shop, 2 * windowMax)
          yield* pass(paidAfterMillis + 10)

          assert.strictEqual(opened.underWay(), underWay)
        }),
      ),
    )
  }
})

describe("a destination's backlog", () => {
  it.effect("a destination's backlog goes out as places become free, in event order, each event once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, url, process, receivers, underWay } = yield* open({ outcome: 204, takesMillis: 100 })
        const all = 3 * windowMax + 4
        yield* order(process, shop, all)
        yield* pass(paidAfterMillis + 350)
        assert.strictEqual(underWay(), 4)
        yield* pass(50)
        const sent = receivers.sentTo(url)
        const seqs = sent.map(({ body }) => JSON.parse(body).seq as number)

        assert.strictEqual(sent.length, all)
        assert.deepStrictEqual(
          seqs,
          [...seqs].sort((left, right) => left - right),
        )
        assert.strictEqual(new Set(seqs).size, all)
        assert.strictEqual((yield* attemptsOf(shop.test)).length, all)
        assert.strictEqual(receivers.mostOpenAt(url), windowMax)
      }),
    ),
  )

  it.effect("an event that came while a destination had no free place is sent once there is one", () =>
    onStore(
      Effect.gen(function* () {
        // The first answers come at a moment on which no sweep falls.
        const { shop, url, process, receivers } = yield* open({ outcome: 204, takesMillis: 4_321 })
        yield* order(process, shop, windowMax)
        yield* pass(1_111)
        yield* order(process, shop, 1)
        yield* pass(paidAfterMillis)
        assert.strictEqual(receivers.sentTo(url).length, windowMax)
        yield* pass(10_000)

        assert.strictEqual(receivers.sentTo(url).at(-1)?.atMillis, startMillis + paidAfterMillis + 4_321)
      }),
    ),
  )
})

/** By then as many attempts as may be in flight have begun, though none has been answered. */
const begunWithinMillis =
  Math.ceil(limits.attemptsInFlightMax / limits.attemptsBegunMax) *
  (limits.attemptBegunMillis + limits.dueWorkLookMillis)

describe("the attempts of a process", () => {
  it.effect("many busy destinations have half as many attempts in flight as one alone", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        const { receivers } = process
        const reception = { outcome: 204, takesMillis: 1_000 }
        const wides = yield* Effect.forEach([1, 2, 3, 4], () => openWide(process, wideMax, reception))
        const each = windowMax / 2 + 8
        for (const wide of wides) yield* wide.order(each)
        yield* pass(paidAfterMillis + 5_000)

        const urls = wides.flatMap((wide) => wide.urls)
        assert.isTrue(urls.every((url) => receivers.sentTo(url).length === each))
        // The first may have had more, before it was known how many there are.
        const most = urls.map((url) => receivers.mostOpenAt(url)).toSorted((left, right) => left - right)
        assert.deepStrictEqual(most.slice(0, 14), new Array(14).fill(windowMax / 2))
      }),
    ),
  )

  it.effect("a process bounds all its attempts in flight and uses a free place within 50 ms", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        const { receivers } = process
        // All places but one are taken, until a moment on which no sweep falls.
        const slow = { outcome: 204, takesMillis: 5_111 }
        const each = limits.attemptsPerClaimMax
        for (let left = limits.attemptsInFlightMax / each - 1; left > 0; left -= wideMax) {
          yield* (yield* openWide(process, Math.min(left, wideMax), slow)).order(each)
        }
        yield* (yield* openWide(process, 1, slow)).order(each - 1)
        const partly = yield* openWide(process, 1, { outcome: 204, takesMillis: 9_000 })
        const late = yield* openWide(process, 1, ok)
        yield* pass(100)
        yield* partly.order(each)
        // Attempts do not begin all at once, so that requests can go between them.
        yield* pass(begunWithinMillis)
        yield* late.order(1)
        yield* pass(paidAfterMillis)
        const sentLate = () => late.urls.flatMap(receivers.sentTo).length
        assert.strictEqual(receivers.sent.length, limits.attemptsInFlightMax)
        assert.strictEqual(process.endpoints.attemptsInFlight(), limits.attemptsInFlightMax)
        assert.strictEqual(sentLate(), 0)
        yield* pass(5_110 - 100 - begunWithinMillis)
        assert.strictEqual(sentLate(), 0)
        yield* pass(1 + 50)

        assert.strictEqual(sentLate(), 1)
        yield* pass(20_000)
        assert.strictEqual(process.endpoints.attemptsInFlight(), 0)
        assert.strictEqual(partly.urls.flatMap(receivers.sentTo).length, each)
      }),
    ),
  )

  it.effect("a process loses no place for attempts to claims that die of a defect", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, receivers, url } = yield* open(ok)
        const faults = yield* StoreFaults
        faults.broken.add("claimDeliveries")
        yield* order(process, shop, 1)
        // Every look wakes the actor and every claim breaks: more often than a process has room for windows.
        yield* pass(paidAfterMillis + 70 * limits.sweepIntervalMillis)
        assert.isAbove(faults.calls.get("claimDeliveries") ?? 0, limits.attemptsInFlightMax / windowMax)
        assert.strictEqual(process.endpoints.attemptsInFlight(), 0)
        faults.broken.clear()
        yield* pass(limits.sweepIntervalMillis)

        assert.strictEqual(receivers.sentTo(url).length, 1)
      }),
    ),
  )

  it.effect("a process loses no place to a defect in the sender; it logs the attempt and repeats it", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, receivers, url } = yield* open({ ...ok, isDefect: true }, ok)
        yield* order(process, shop, 1)
        yield* pass(paidAfterMillis)
        assert.strictEqual(process.endpoints.attemptsInFlight(), 0)
        assert.include((yield* TestConsole.logLines).join("\n"), "the sender is broken")
        yield* pass(limits.deliveryLeaseMillis - 1)
        assert.strictEqual(receivers.sentTo(url).length, 1)
        yield* pass(1)

        assert.strictEqual(receivers.sentTo(url).length, 2)
        assert.deepStrictEqual(
          (yield* attemptsOf(shop.test)).map(({ attempt, status }) => [attempt, status]),
          [[1, "success"]],
        )
      }),
    ),
  )
})

describe("the draining of a process", () => {
  it.effect("draining lets attempts under way end and be recorded, and starts no other", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, url, process, receivers } = yield* open({ outcome: 204, takesMillis: 5_000 })
        yield* order(process, shop, 1)
        yield* pass(1_000)
        yield* order(process, shop, 1)
        yield* pass(paidAfterMillis - 1_000)
        const drain = yield* Effect.forkChild(process.endpoints.drain)
        yield* pass(4_999)
        assert.isUndefined(drain.pollUnsafe())
        assert.strictEqual(receivers.sentTo(url).length, 1)
        yield* pass(100)

        assert.isDefined(drain.pollUnsafe())
        assert.strictEqual((yield* attemptsOf(shop.test)).length, 1)
        yield* pass(60_000)
        assert.strictEqual(receivers.sentTo(url).length, 1)
        yield* settle
      }),
    ),
  )
})
