import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { limits } from "../../../schema/limits.ts"
import { startProcess } from "../support/process.ts"
import { down, hangs, makeReceivers, ok, type Reception } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const paidAfterMillis = 3_000
const lease = limits.deliveryLeaseMillis

/** A charge that is paid after 3 s, and an endpoint that responds to its one delivery as scripted. */
const open = (...receptions: ReadonlyArray<Reception>) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const { url } = yield* openEndpoint(shop.test)
    const receivers = makeReceivers()
    receivers.script(url, ...receptions)
    const process = yield* startProcess({ receivers })
    const faults = yield* StoreFaults
    yield* createCharge(process, shop.test)
    return { shop, url, receivers, process, faults }
  })

const sinceEvent = (sent: ReadonlyArray<{ readonly atMillis: number }>) =>
  sent.map(({ atMillis }) => atMillis - startMillis - paidAfterMillis)

describe("a process that dies", () => {
  it.effect("an attempt whose process dies is repeated when its lease ends, and recorded once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, process } = yield* open(hangs, ok)
        yield* pass(paidAfterMillis + 5_000)
        yield* process.kill
        const successor = yield* startProcess({ receivers })
        yield* pass(lease - 5_001)
        assert.strictEqual(receivers.sent.length, 1)
        yield* pass(1)
        const [first, second] = receivers.sent

        assert.deepStrictEqual(sinceEvent(receivers.sent), [0, lease])
        assert.strictEqual(first?.eventId, second?.eventId)
        assert.strictEqual(first?.body, second?.body)
        assert.deepStrictEqual([first?.attempt, second?.attempt], [1, 1])
        assert.notStrictEqual(first?.deliveryId, second?.deliveryId)
        const rows = yield* attemptsOf(shop.test)
        assert.deepStrictEqual(
          rows.map(({ id, attempt, status }) => [id, attempt, status]),
          [[second?.deliveryId, 1, "success"]],
        )
        yield* pass(60_000)
        assert.strictEqual(receivers.sent.length, 2)
        assert.strictEqual(successor.endpoints.attemptsInFlight(), 0)
      }),
    ),
  )

  it.effect("a process that dies before a payment leaves it to the next, which delivers at once", () =>
    onStore(
      Effect.gen(function* () {
        const { receivers, process } = yield* open(ok)
        yield* pass(1_000)
        yield* process.kill
        yield* pass(60_000)
        yield* startProcess({ receivers })
        // The charge is paid, and its event is delivered.
        yield* pass(1)

        assert.strictEqual(receivers.sent.length, 1)
      }),
    ),
  )
})

describe("processes that compete for a delivery", () => {
  it.effect("a process whose lease has passed to another does not record its attempt", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, faults } = yield* open(down, ok)
        yield* startProcess({ receivers })
        // Recording takes longer than the lease.
        faults.delaysMillis.set("record", lease + 1_000)
        yield* pass(paidAfterMillis + 1_000)
        faults.delaysMillis.clear()
        yield* pass(60_000 + lease)

        assert.deepStrictEqual(sinceEvent(receivers.sent), [0, lease])
        const rows = yield* attemptsOf(shop.test)
        assert.deepStrictEqual(
          rows.map(({ id, status }) => [id, status]),
          [[receivers.sent[1]?.deliveryId, "success"]],
        )
      }),
    ),
  )

  it.effect("processes on the same partition send and record each attempt once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers } = yield* open(down)
        yield* startProcess({ receivers })
        yield* startProcess({ receivers })
        yield* pass(paidAfterMillis + 360_000)

        assert.deepStrictEqual(sinceEvent(receivers.sent), [0, 60_000, 360_000])
        assert.deepStrictEqual(
          (yield* attemptsOf(shop.test)).map(({ attempt }) => attempt),
          [1, 2, 3],
        )
      }),
    ),
  )
})

describe("a store that is away", () => {
  it.effect("an attempt made while the store is away is recorded on its return and not sent twice", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, faults } = yield* open(down, ok)
        faults.away.add("record")
        yield* pass(paidAfterMillis + 8_000)
        assert.deepStrictEqual(yield* attemptsOf(shop.test), [])
        faults.away.clear()
        yield* pass(200)
        const [row] = yield* attemptsOf(shop.test)
        assert.deepInclude(row, {
          status: "failed",
          id: receivers.sent[0]?.deliveryId ?? "",
          created_at: new Date(startMillis + paidAfterMillis).toISOString(),
        })
        yield* pass(59_999)
        assert.strictEqual(receivers.sent.length, 1)
        // One minute after the failure was recorded.
        yield* pass(200)

        assert.strictEqual(receivers.sent.length, 2)
      }),
    ),
  )

  it.effect("an attempt that stays unrecorded is repeated with the same event when its lease ends", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, faults } = yield* open(ok)
        faults.away.add("record")
        yield* pass(paidAfterMillis + lease - limits.attemptTimeoutMillis + 1_000)
        assert.include((yield* TestConsole.logLines).join("\n"), "could not be recorded and will be repeated")
        faults.away.clear()
        yield* pass(limits.attemptTimeoutMillis - 1_001)
        assert.strictEqual(receivers.sent.length, 1)
        yield* pass(1)

        assert.deepStrictEqual(sinceEvent(receivers.sent), [0, lease])
        assert.strictEqual(new Set(receivers.sent.map(({ eventId }) => eventId)).size, 1)
        assert.deepStrictEqual(
          (yield* attemptsOf(shop.test)).map(({ attempt, status }) => [attempt, status]),
          [[1, "success"]],
        )
      }),
    ),
  )

  it.effect("an attempt whose record is stored without an answer is recorded once and not sent again", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, faults } = yield* open(ok)
        faults.answersLost.add("record")
        yield* pass(paidAfterMillis + 1_000)
        faults.answersLost.clear()
        yield* pass(3 * lease)

        assert.strictEqual(receivers.sent.length, 1)
        assert.deepStrictEqual(
          (yield* attemptsOf(shop.test)).map(({ status }) => status),
          ["success"],
        )
      }),
    ),
  )

  it.effect("an endpoint's actor repeats a failed claim until the store answers", () =>
    onStore(
      Effect.gen(function* () {
        const { receivers, faults } = yield* open(ok)
        // No look returns the destination either: only its own actor knows of the delivery.
        faults.away.add("claimDeliveries").add("dueDestinations")
        yield* pass(paidAfterMillis + 5_000)
        assert.strictEqual(receivers.sent.length, 0)
        faults.away.delete("claimDeliveries")
        yield* pass(250)

        assert.strictEqual(receivers.sent.length, 1)
      }),
    ),
  )

  it.effect("deliveries leased without an answer are claimed again when the lease ends", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, faults } = yield* open(ok)
        faults.answersLost.add("claimDeliveries")
        yield* pass(paidAfterMillis)
        faults.answersLost.clear()
        yield* pass(lease - 1)
        assert.strictEqual(receivers.sent.length, 0)
        yield* pass(1)

        assert.strictEqual(receivers.sent.length, 1)
        assert.strictEqual((yield* attemptsOf(shop.test))[0]?.attempt, 1)
      }),
    ),
  )
})
