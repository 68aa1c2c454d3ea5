import { Effect, Layer } from "effect"
import { type SellerHint, SellerHints } from "../../actors/ports/sellerHints.ts"
import * as keys from "./keys.ts"
import { type Signal, Subscriber } from "./redis/subscriber.ts"

const readSignal = (signal: Signal): SellerHint | undefined => {
  if (signal.kind !== "message") return signal
  return signal.channel === keys.sellersChannel ? { kind: "changed", sellerId: signal.message } : undefined
}

/** Hints of changed sellers by pub/sub: one channel for all, since changes are rare. */
export const SellerHintsLive = Layer.effect(
  SellerHints,
  Effect.gen(function* () {
    const subscriber = yield* Subscriber
    yield* subscriber.subscribe([keys.sellersChannel])
    return SellerHints.of({
      listen: (listener) =>
        subscriber.listen((signal) => {
          const hint = readSignal(signal)
          if (hint !== undefined) listener(hint)
        }),
    })
  }),
)
