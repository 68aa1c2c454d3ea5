import { Clock, Effect, type Scope } from "effect"
import { makeRegistrar } from "../../../actors/metrics/registrar.ts"
import type { RequestErrorStore } from "../../../actors/ports/requestErrorStore.ts"
import { limits } from "../../../schema/limits.ts"
import { Refusals, type RefusedOfFeed, refusalOutcomes } from "./refusals.ts"

/**
 * Writes refused requests to the store once a second until the scope closes, and then what is left. Where nothing was refused
 * nothing is written, and what the store does not take is dropped: the answers were sent long ago.
 */
export const noteRefusals = (
  store: RequestErrorStore["Service"],
): Effect.Effect<Refusals, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const refusals = new Refusals(() => clock.currentTimeMillisUnsafe())
    const registrar = yield* makeRegistrar
    for (const outcome of refusalOutcomes) {
      const series = {
        name: "corrente_request_errors_total",
        description: "Refused requests of sellers, by whether they are shown to them",
        labels: { outcome },
      }
      registrar.counter(series, () => refusals.counts[outcome])
    }
    const writeOne = ({ feed, errors }: RefusedOfFeed) =>
      Effect.match(store.note(feed, errors), {
        onSuccess: () => {
          refusals.counts.kept += errors.length
        },
        onFailure: () => {
          refusals.counts.store_away += errors.length
        },
      })
    const write = Effect.suspend(() =>
      Effect.forEach(refusals.take(), writeOne, {
        concurrency: limits.requestErrorsWritesAtOnce,
        discard: true,
      }),
    )
    yield* Effect.addFinalizer(() => write)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.sleep(limits.requestErrorsWriteMillis), write)),
    )
    return refusals
  })
