import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import fc from "fast-check"
import { eventIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { sizes } from "../../support/sizes.ts"
import { specDelaysMillis, startProcess } from "../support/process.ts"
import { down, hangs, makeReceivers, ok, type Receivers, type Reception } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, eventsOf, openEndpoint, openShop } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const postbackUrl = "https://shop.example/postback"
/** When the charges of these tests are paid, which is their one delivered event. */
const paidAtMillis = startMillis + 3_000
const sinceEvent = (receivers: Receivers, url: string) =>
  receivers.sentTo(url).map(({ atMillis }) => atMillis - paidAtMillis)

/** When attempts are due, in milliseconds from the event, given the gaps between them. */
const timesAfter = (gapsMillis: ReadonlyArray<number>): ReadonlyArray<number> => {
  const times = [0]
  for (const gap of gapsMillis) times.push((times.at(-1) ?? 0) + gap)
  return times
}

describe("the default retry schedule", () => {
  it.effect("endpoint and postback each keep the retry schedule to the millisecond, across restarts", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { url } = yield* openEndpoint(shop.test)
        const receivers = makeReceivers()
        receivers.script(url, down)
        // Fails once, after half a second, and then accepts the event.
        receivers.script(postbackUrl, { outcome: 503, takesMillis: 500 }, ok)
        let process = yield* startProcess({ receivers })
        yield* createCharge(process, shop.test, { body: { postback_url: postbackUrl } })
        yield* pass(3_000)
        for (const [index, delayMillis] of specDelaysMillis.entries()) {
          const runsMillis = Math.min(delayMillis, 300_000)
          if (delayMillis > runsMillis) {
            // For the rest of the delay nothing runs at all.
            yield* process.kill
            yield* TestClock.adjust(delayMillis - runsMillis)
            process = yield* startProcess({ receivers })
          }
          yield* pass(runsMillis - 1)
          assert.strictEqual(receivers.sentTo(url).length, index + 1)
          yield* pass(1)
          assert.strictEqual(receivers.sentTo(url).length, index + 2)
        }

        assert.deepStrictEqual(sinceEvent(receivers, url), timesAfter(specDelaysMillis))
        assert.deepStrictEqual(sinceEvent(receivers, postbackUrl), [0, 60_500])
        yield* pass(60_000)
        assert.strictEqual(receivers.sent.length, 8)
        const { destinations } = yield* MemoryStore
        for (const { dueMillis } of destinations.values()) assert.isUndefined(dueMillis)
      }),
    ),
  )

  it.effect("each attempt has its own row and id; the first five are failed, the sixth is dead", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const endpoint = yield* openEndpoint(shop.test)
        const process = yield* startProcess({ delaysMillis: [1_000, 2_000, 3_000, 4_000, 5_000] })
        const { receivers } = process
        receivers.script(endpoint.url, down)
        yield* createCharge(process, shop.test)
        yield* pass(60_000)
        const rows = yield* attemptsOf(shop.test)
        const paid = (yield* eventsOf(shop.test)).find(({ type }) => type === "transaction.paid")
        const eventId = eventIdOf(shop.test, paid?.entryId ?? "")

        assert.deepStrictEqual(
          rows.map(({ attempt, status }) => [attempt, status]),
          [
            [1, "failed"],
            [2, "failed"],
            [3, "failed"],
            [4, "failed"],
            [5, "failed"],
            [6, "dead"],
          ],
        )
        assert.strictEqual(new Set(rows.map(({ id }) => id)).size, limits.attemptsMax)
        assert.deepStrictEqual(
          receivers.sent.map(({ deliveryId, attempt }) => [deliveryId, attempt]),
          rows.map(({ id, attempt }) => [id, attempt]),
        )
        for (const [index, row] of rows.entries()) {
          const sent = receivers.sent[index]
          assert.deepInclude(row, {
            event_id: eventId,
            event_type: "transaction.paid",
            endpoint_id: endpoint.id,
            target: "endpoint",
            status_code: 500,
            error: "http_500",
            created_at: new Date(sent?.atMillis ?? 0).toISOString(),
          })
          assert.deepInclude(sent, { eventId, eventType: "transaction.paid" })
          assert.strictEqual(sent?.body, receivers.sent[0]?.body)
        }
      }),
    ),
  )

  it("any retry schedule is kept to the millisecond, however slow the receivers, with and without hints", async () => {
    const step = fc.record({
      delayMillis: fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 900, max: 130_000 })),
      reception: fc.oneof(
        fc.constantFrom(hangs, down),
        fc.record({ outcome: fc.constant(500), takesMillis: fc.nat({ max: limits.attemptTimeoutMillis }) }),
      ),
    })
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (steps, isSilent) =>
        follow(steps, isSilent).pipe(
          onStore,
          Effect.scoped,
          Effect.provide([TestClock.layer(), TestConsole.layer]),
          Effect.runPromise,
        ),
    )
    await fc.assert(property, { numRuns: sizes.ladders })
  })
})

interface Step {
  /** How the receiver responds to the attempt, and the delay after it. */
  readonly reception: Reception
  readonly delayMillis: number
}

/** Runs one delivery through these steps and one more failure, and asserts when each attempt is sent. */
const follow = (steps: ReadonlyArray<Step>, isSilent: boolean) =>
  Effect.gen(function* () {
    const faults = yield* StoreFaults
    const shop = yield* openShop()
    const { url } = yield* openEndpoint(shop.test)
    const process = yield* startProcess({ delaysMillis: steps.map(({ delayMillis }) => delayMillis) })
    process.receivers.script(url, ...steps.map(({ reception }) => reception), down)
    yield* createCharge(process, shop.test)
    faults.areWakesLost = isSilent
    const gaps = steps.map(({ reception, delayMillis }) => (reception.takesMillis ?? 0) + delayMillis)
    const times = timesAfter(gaps)
    yield* pass(4_000 + (times.at(-1) ?? 0))

    const sent = sinceEvent(process.receivers, url)
    // Without a hint the first is found at the next look; from there on all is exact.
    const lateMillis = sent[0] ?? Number.NaN
    assert.isAtLeast(lateMillis, 0)
    assert.isAtMost(lateMillis, isSilent ? limits.sweepIntervalMillis : 0)
    assert.deepStrictEqual(
      sent,
      times.map((time) => time + lateMillis),
    )
  })
