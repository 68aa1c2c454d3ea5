import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { done, openRefund, processing, refundNow } from "../support/refunds.ts"
import { pass } from "../support/settle.ts"
import { onStore, startMillis } from "../support/store.ts"

const stuckMillis = 10 * 60_000
const rules = { payoutStuckMillis: stuckMillis, operatorApprovals: 1 }
const stuckNow = Effect.flatMap(RefundStore, ({ stuck }) => stuck())
const none = { count: 0, oldest: undefined }

describe("a refund that the acquirer does not end", () => {
  it.effect(
    "a refund is stuck once it is processing for longer than a payout may be, and until it ends",
    () =>
      onStore(
        Effect.gen(function* () {
          let says: typeof processing | typeof done = processing
          const { id } = yield* openRefund({ query: () => Effect.sync(() => says) }, {}, { rules })
          // It is asked about each minute by then.
          yield* pass(stuckMillis - 60_000)
          assert.deepStrictEqual(yield* stuckNow, none)
          yield* pass(2 * 60_000 + 1_000)
          assert.deepStrictEqual(yield* stuckNow, { count: 1, oldest: { id, sinceMillis: startMillis } })
          assert.strictEqual((yield* refundNow(id)).status, "processing")

          says = done
          yield* pass(2 * 60_000)
          assert.strictEqual((yield* refundNow(id)).status, "succeeded")
          assert.deepStrictEqual(yield* stuckNow, none)
        }),
      ),
  )
})
