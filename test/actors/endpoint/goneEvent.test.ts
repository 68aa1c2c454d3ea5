import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryStore } from "../../model/state.ts"
import { startProcess } from "../support/process.ts"
import { down, makeReceivers } from "../support/scriptedSender.ts"
import { pass } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

describe("a delivery whose event is no longer kept", () => {
  it.effect("a delivery whose event is no longer kept is not sent and is recorded as dead", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { id: endpointId, url } = yield* openEndpoint(shop.test)
        const receivers = makeReceivers()
        receivers.script(url, down)
        const process = yield* startProcess({ receivers, simulator: { delayMillis: 3_000 } })
        yield* createCharge(process, shop.test)
        yield* pass(3_000)
        assert.strictEqual(receivers.sent.length, 1)

        const state = yield* MemoryStore
        for (const { entries } of state.feeds.values()) entries.length = 0
        yield* pass(60_000)

        assert.strictEqual(receivers.sent.length, 1)
        const rows = (yield* attemptsOf(shop.test)).map(({ attempt, status, error }) => [
          attempt,
          status,
          error,
        ])
        assert.deepStrictEqual(rows.toSorted(), [
          [1, "failed", "http_500"],
          [2, "dead", "event_expired"],
        ])
        assert.strictEqual(
          state.endpoints.get(endpointId)?.deadStreak,
          0,
          "an expired event does not count against its receiver",
        )
        // The third attempt would have been five minutes after the second.
        yield* pass(10 * 60_000)
        assert.strictEqual((yield* attemptsOf(shop.test)).length, 2)
      }),
    ),
  )
})
