import { Context, Effect, Layer, type Scope } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Admission } from "./admission.ts"
import { loadLimits } from "./loadLimits.ts"
import { LoadMeter, tickMillis } from "./loadMeter.ts"
import { registerLoadMetrics } from "./loadMetrics.ts"

/** The load of this process: measured by the front end, read by work that yields to requests. */
export class Load extends Context.Service<
  Load,
  { readonly meter: LoadMeter; readonly admission: Admission }
>()("corrente/load/Load") {}

/**
 * Measures and admits requests until the scope closes. Requests that would wait longer than `targetMillis` are
 * refused.
 */
export const makeLoad = (targetMillis: number): Effect.Effect<Load["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    // Not Effect's clock, which tests and changes of the system time would move.
    const meter = new LoadMeter(() => performance.now())
    const options = {
      targetMillis,
      runningMax: loadLimits.requestsRunningMax,
      bytesWaitingMax: loadLimits.requestBytesWaitingMax,
      random: Math.random,
    }
    const admission = new Admission(meter, options, performance.now())
    yield* registerLoadMetrics(meter, admission)
    const tick = () => {
      meter.tick()
      admission.tick(performance.now())
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(tick, tickMillis)),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    return Load.of({ meter, admission })
  })

/** The process' {@link Load}, and the request delay derived from it. */
export const LoadLive = (targetMillis: number): Layer.Layer<Load | RequestDelay> =>
  Layer.effect(
    RequestDelay,
    Effect.map(Load, ({ meter }) =>
      RequestDelay.of({
        currentMillis: () => meter.delayMillis,
        inTheMaking: () => meter.making,
        begun: () => meter.begun,
      }),
    ),
  ).pipe(Layer.provideMerge(Layer.effect(Load, makeLoad(targetMillis))))
