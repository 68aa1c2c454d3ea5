import { Context, Effect, Layer, type Scope } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Admission } from "./admission.ts"
import { loadLimits } from "./loadLimits.ts"
import { LoadMeter } from "./loadMeter.ts"
import { registerLoadMetrics } from "./loadMetrics.ts"

/** The load of this process: measured by the front end, read by work that yields to requests. */
export class Load extends Context.Service<
  Load,
  { readonly meter: LoadMeter; readonly admission: Admission }
>()("corrente/load/Load") {}

/** Ticks when the meter says that it is due. `again` counts from now. */
const tickingOf = (meter: LoadMeter, admission: Admission) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => {
    clearTimeout(timer)
    timer = setTimeout(tick, meter.tickAfterMillis)
  }
  const tick = () => {
    meter.tick()
    admission.tick(performance.now())
    again()
  }
  return { again, stop: () => clearTimeout(timer) }
}

/**
 * Measures and admits requests until the scope closes. Requests that would wait longer than `targetMillis` are
 * refused.
 */
export const makeLoad = (targetMillis: number): Effect.Effect<Load["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    // Not Effect's clock, which tests and changes of the system time would move.
    const meter: LoadMeter = new LoadMeter(
      () => performance.now(),
      () => ticking.again(),
    )
    const options = {
      targetMillis,
      runningMax: loadLimits.requestsRunningMax,
      bytesWaitingMax: loadLimits.requestBytesWaitingMax,
      random: Math.random,
    }
    const admission = new Admission(meter, options, performance.now())
    yield* registerLoadMetrics(meter, admission)
    const ticking = tickingOf(meter, admission)
    yield* Effect.acquireRelease(Effect.sync(ticking.again), () => Effect.sync(ticking.stop))
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
