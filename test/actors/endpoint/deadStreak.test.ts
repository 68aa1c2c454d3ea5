import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { startProcess } from "../support/process.ts"
import { down, ok } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, eventsOf, openEndpoint, openShop } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const type = "seller.webhook_endpoint_disabled"

/** A shop with one endpoint that is down, whose deliveries are dead after their first attempt. */
const open = Effect.gen(function* () {
  const shop = yield* openShop()
  const endpoint = yield* openEndpoint(shop.test, ["transaction.paid"])
  const process = yield* startProcess({ delaysMillis: [] })
  process.receivers.script(endpoint.url, down)
  const payCharges = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () => createCharge(process, shop.test)).pipe(
      Effect.andThen(pass(3_000)),
    )
  const isEnabled = Effect.map(MemoryStore, ({ endpoints }) => endpoints.get(endpoint.id)?.enabled)
  return { shop, endpoint, process, receivers: process.receivers, payCharges, isEnabled }
})

describe("an endpoint whose deliveries are all dead", () => {
  it.effect(
    `an endpoint is disabled by its ${limits.deadStreakMax}th dead delivery in a row, with an event in its mode's feed`,
    () =>
      onStore(
        Effect.gen(function* () {
          const { shop, endpoint, payCharges, isEnabled } = yield* open
          yield* payCharges(limits.deadStreakMax - 1)
          const dead = yield* attemptsOf(shop.test)
          assert.strictEqual(dead.filter(({ status }) => status === "dead").length, limits.deadStreakMax - 1)
          assert.isTrue(yield* isEnabled)
          assert.deepStrictEqual(yield* eventsOf(shop.live), [])
          yield* payCharges(1)

          assert.isFalse(yield* isEnabled)
          const disabledEvents = (yield* eventsOf(shop.test)).filter((entry) => entry.type === type)
          assert.strictEqual(disabledEvents.length, 1)
          assert.deepInclude(disabledEvents[0], { resourceId: shop.sellerId, internal: false })
          const profile = JSON.parse(disabledEvents[0]?.data ?? "{}")
          assert.deepInclude(profile, {
            id: shop.sellerId,
            object: "seller",
            name: "Loja Um",
            document: null,
            webhook_endpoint: { id: endpoint.id, mode: "test", host: new URL(endpoint.url).host },
          })
          assert.deepStrictEqual(yield* eventsOf(shop.live), [])
          assert.include((yield* TestConsole.logLines).join("\n"), endpoint.id)
        }),
      ),
  )

  it.effect("a disabled endpoint gets no more deliveries and causes no second event", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, payCharges } = yield* open
        yield* payCharges(limits.deadStreakMax)
        const sent = receivers.sent.length
        yield* payCharges(3)

        assert.strictEqual(receivers.sent.length, sent)
        const disabledEvents = (yield* eventsOf(shop.test)).filter((entry) => entry.type === type)
        assert.strictEqual(disabledEvents.length, 1)
      }),
    ),
  )

  it.effect(`${type} goes to a subscribed endpoint of its own mode only`, () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, payCharges } = yield* open
        const watcher = yield* openEndpoint(shop.test, [type])
        const inLive = yield* openEndpoint(shop.live, [type])
        yield* payCharges(limits.deadStreakMax)

        assert.deepStrictEqual(receivers.sentTo(inLive.url), [])
        assert.deepStrictEqual(
          receivers.sentTo(watcher.url).map(({ eventType }) => eventType),
          [type],
        )
      }),
    ),
  )

  it.effect("an endpoint stays enabled when a success interrupts its dead deliveries", () =>
    onStore(
      Effect.gen(function* () {
        const { endpoint, receivers, payCharges, isEnabled } = yield* open
        yield* payCharges(limits.deadStreakMax - 1)
        receivers.script(endpoint.url, ok, down)
        yield* payCharges(2)

        assert.isTrue(yield* isEnabled)
      }),
    ),
  )

  it.effect("an endpoint is disabled once a store that was away at its last dead delivery is back", () =>
    onStore(
      Effect.gen(function* () {
        const { payCharges, isEnabled } = yield* open
        const faults = yield* StoreFaults
        yield* payCharges(limits.deadStreakMax - 1)
        faults.away.add("record")
        yield* payCharges(1)
        yield* pass(2_000)
        assert.isTrue(yield* isEnabled)
        faults.away.clear()
        yield* pass(1_000)

        assert.isFalse(yield* isEnabled)
      }),
    ),
  )
})
