import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../../schema/ids.ts"
import { makeCounterStore } from "../../store/sellerCounters.ts"

/** The badges of a dashboard (`docs/contract/sellers.md#counters`). */
export class Counters extends Context.Service<
  Counters,
  {
    /** The counters as JSON text, at most 10 s old and the same in every process. */
    readonly of: (feed: Feed) => Effect.Effect<string, StoreUnavailable>
  }
>()("corrente/accounts/Counters") {}

export const CountersLive = Layer.effect(
  Counters,
  Effect.gen(function* () {
    const store = yield* makeCounterStore
    return Counters.of({
      of: Effect.fnUntraced(function* (feed) {
        const kept = yield* store.kept(feed)
        return kept ?? (yield* store.keep(feed, JSON.stringify(yield* store.count(feed))))
      }),
    })
  }),
)
