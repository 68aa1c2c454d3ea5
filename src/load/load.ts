import { Context, Effect, Layer, type Scope } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Admission } from "./admission.ts"
import { loadLimits } from "./loadLimits.ts"
import { LoadMeter } from "./loadMeter.ts"

/** Shows the load of this process among the metrics, until the scope closes. */
const registerLoadMetrics = (
  meter: LoadMeter,
  admission: Admission,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.map(makeRegistrar, (registrar) => {
    registrar.histogram(
      {
        name: "corrente_event_loop_delay_seconds",
        description:
          "How late a timer runs that is due 50 times a second, 5 times while there are no requests",
      },
      meter.lags,
    )
    registrar.gauge(
      { name: "corrente_http_requests_in_progress", description: "Requests that wait or are worked on" },
      () => meter.inProgress,
    )
    registrar.gauge(
      { name: "corrente_http_requests_waiting", description: "Requests that wait to start" },
      () => admission.waiting,
    )
  })

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
        inProgress: () => meter.inProgress,
        started: () => meter.started,
      }),
    ),
  ).pipe(Layer.provideMerge(Layer.effect(Load, makeLoad(targetMillis))))
