import { Clock, Effect } from "effect"
import { SellerClock } from "../../ports/sellerClock.ts"
import { operation, operationProgram } from "../operation.ts"

/** POST /v1/test/clock/advance (docs/contract/test-controls.md#clock). */
export interface AdvanceClockRequest {
  readonly sellerId: string
  readonly seconds: number
}

interface Message {
  readonly sellerId: string
  readonly offsetMillis: number
}

/** Advances the clock of a seller's test mode; answers what it shows then, in ms. */
export const advanceClock = operation(
  "advanceClock",
  Effect.gen(function* () {
    const clock = yield* SellerClock
    return operationProgram({
      sellerOf: ({ sellerId }: Message) => sellerId,
      lane: () => undefined,
      run: ({ offsetMillis }, seller) => Effect.sync(() => seller.setOffset(offsetMillis)),
      call: ({ sellerId, seconds }: AdvanceClockRequest, { tell }) =>
        Effect.gen(function* () {
          const offsetMillis = yield* clock.advance(sellerId, seconds * 1_000)
          // An actor that misses this reads the clock again within seconds.
          yield* Effect.ignore(tell({ sellerId, offsetMillis }))
          return (yield* Clock.currentTimeMillis) + offsetMillis
        }),
    })
  }),
)
