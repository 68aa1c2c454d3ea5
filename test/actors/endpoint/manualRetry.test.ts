import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import { limits } from "../../../schema/limits.ts"
import { identifiers, type Process, startProcess } from "../support/process.ts"
import { down, hangs, makeReceivers, ok, type Reception } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop, type Shop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const delaysMillis = [1_000, 2_000, 3_000, 4_000, 5_000]
/** Enough time for six attempts at a receiver that fails at once. */
const pastAllMillis = 3_000 + 15_000

/** A delivery after all its automatic attempts, which its receiver responded to as scripted. */
const delivered = (...receptions: ReadonlyArray<Reception>) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const endpoint = yield* openEndpoint(shop.test)
    const receivers = makeReceivers()
    receivers.script(endpoint.url, ...receptions)
    const process = yield* startProcess({ receivers, delaysMillis })
    yield* createCharge(process, shop.test)
    yield* pass(pastAllMillis)
    return { shop, endpoint, process, receivers }
  })

/** Requests a manual retry, by default of the seller's newest attempt. */
const retry = (shop: Shop, deliveryId?: string) =>
  Effect.gen(function* () {
    const newest = (yield* attemptsOf(shop.test)).at(-1)
    const promisedId = identifiers.id("whd_", 0, yield* Clock.currentTimeMillis)
    const queue = yield* DeliveryQueue
    const { kind } = yield* queue.retry(shop.test, deliveryId ?? newest?.id ?? "", promisedId)
    return { kind, promisedId }
  })

const statusesOf = (shop: Shop) =>
  Effect.map(attemptsOf(shop.test), (rows) => rows.map(({ attempt, status }) => [attempt, status]))

const sentOf = ({ receivers }: Process) => receivers.sent.map(({ attempt }) => attempt)

const nowMillis = Clock.currentTimeMillis

describe("a manual retry", () => {
  it.effect("a manual retry sends a dead delivery at once, under the promised id and the next number", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process, receivers, endpoint } = yield* delivered(down)
        assert.deepStrictEqual((yield* statusesOf(shop)).at(-1), [6, "dead"])
        receivers.script(endpoint.url, ok)
        const { kind, promisedId } = yield* retry(shop)
        yield* pass(0)

        assert.strictEqual(kind, "queued")
        assert.deepInclude(receivers.sent.at(-1), {
          deliveryId: promisedId,
          attempt: 7,
          eventId: receivers.sent[0]?.eventId ?? "",
          atMillis: yield* nowMillis,
        })
        assert.deepInclude((yield* attemptsOf(shop.test)).at(-1), {
          id: promisedId,
          attempt: 7,
          status: "success",
        })
        assert.strictEqual(process.endpoints.attemptsInFlight(), 0)
      }),
    ),
  )

  it.effect("a manual retry that fails after the sixth attempt is dead again and schedules nothing", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* delivered(down)
        for (const number of [7, 8]) {
          assert.strictEqual((yield* retry(shop)).kind, "queued")
          yield* pass(60_000)
          assert.deepStrictEqual((yield* statusesOf(shop)).at(-1), [number, "dead"])
        }

        assert.deepStrictEqual(sentOf(process), [1, 2, 3, 4, 5, 6, 7, 8])
      }),
    ),
  )

  it.effect("a manual retry that fails as the fifth attempt is followed by the sixth when it is due", () =>
    onStore(
      Effect.gen(function* () {
        // The fourth attempt is the last: its destination is blocked.
        const blocked: Reception = { outcome: "blocked_destination" }
        const { shop, process } = yield* delivered(down, down, down, blocked, down)
        assert.deepStrictEqual((yield* statusesOf(shop)).at(-1), [4, "failed"])
        yield* pass(60_000)
        assert.deepStrictEqual(sentOf(process), [1, 2, 3, 4])
        yield* retry(shop)
        yield* pass(4_999)
        assert.deepStrictEqual(sentOf(process), [1, 2, 3, 4, 5])
        yield* pass(1)

        assert.deepStrictEqual(sentOf(process), [1, 2, 3, 4, 5, 6])
        yield* pass(60_000)
        assert.deepStrictEqual(yield* statusesOf(shop), [
          [1, "failed"],
          [2, "failed"],
          [3, "failed"],
          [4, "failed"],
          [5, "failed"],
          [6, "dead"],
        ])
      }),
    ),
  )

  it.effect("a manual retry that fails as the sixth attempt leaves the delivery dead", () =>
    onStore(
      Effect.gen(function* () {
        const blocked: Reception = { outcome: "blocked_destination" }
        const { shop, process } = yield* delivered(down, down, down, down, blocked, down)
        yield* retry(shop)
        yield* pass(60_000)

        assert.deepStrictEqual((yield* statusesOf(shop)).at(-1), [6, "dead"])
        assert.deepStrictEqual(sentOf(process), [1, 2, 3, 4, 5, 6])
      }),
    ),
  )

  it.effect("a manual retry is refused while an attempt is scheduled or under way and after a success", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, endpoint, receivers } = yield* delivered(down)
        const [first] = yield* attemptsOf(shop.test)
        receivers.script(endpoint.url, hangs, ok)
        assert.strictEqual((yield* retry(shop)).kind, "queued")
        assert.strictEqual((yield* retry(shop)).kind, "scheduled")
        yield* pass(5_000)
        assert.strictEqual((yield* retry(shop)).kind, "scheduled")
        yield* pass(5_000)
        assert.strictEqual((yield* retry(shop)).kind, "queued")
        yield* pass(0)

        assert.strictEqual((yield* retry(shop)).kind, "succeeded")
        // The id of any attempt stands for the delivery.
        assert.strictEqual((yield* retry(shop, first?.id)).kind, "succeeded")
      }),
    ),
  )

  it.effect("a manual retry whose process dies is repeated under the promised id and recorded once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, endpoint, process, receivers } = yield* delivered(down)
        receivers.script(endpoint.url, hangs, ok)
        const { promisedId } = yield* retry(shop)
        const promisedAt = new Date(yield* nowMillis).toISOString()
        yield* pass(5_000)
        yield* process.kill
        yield* startProcess({ receivers, delaysMillis })
        yield* pass(limits.deliveryLeaseMillis)

        assert.deepStrictEqual(
          receivers.sent.slice(-2).map(({ deliveryId, attempt }) => [deliveryId, attempt]),
          [
            [promisedId, 7],
            [promisedId, 7],
          ],
        )
        const rows = yield* attemptsOf(shop.test)
        assert.strictEqual(rows.length, 7)
        // Its row has the creation time of its id, by which lists are ordered.
        assert.deepInclude(rows.at(-1), {
          id: promisedId,
          attempt: 7,
          status: "success",
          created_at: promisedAt,
        })
      }),
    ),
  )
})
