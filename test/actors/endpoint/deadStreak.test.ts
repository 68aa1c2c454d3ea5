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

describe("an endpoint whose deliveries all end dead", () => {
  it.effect(
    `is disabled by the ${limits.deadStreakMax}th in a row and not before, with a notice that names it in its own mode's feed`,
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
          const notices = (yield* eventsOf(shop.test)).filter((entry) => entry.type === type)
          assert.strictEqual(notices.length, 1)
          assert.deepInclude(notices[0], { resourceId: shop.sellerId, internal: false })
          const profile = JSON.parse(notices[0]?.data ?? "{}")
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

  it.effect("gets nothing more, and no second notice", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, receivers, payCharges } = yield* open
        yield* payCharges(limits.deadStreakMax)
        const sent = receivers.sent.length
        yield* payCharges(3)

        assert.strictEqual(receivers.sent.length, sent)
        const notices = (yield* eventsOf(shop.test)).filter((entry) => entry.type === type)
        assert.strictEqual(notices.length, 1)
      }),
    ),
  )

  it.effect("is told to another endpoint of its mode that subscribes to it", () =>
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

  it.effect("stays where one of them succeeded in between", () =>
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

  it.effect("is disabled when the store can be asked again, if it could not be at the time", () =>
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
