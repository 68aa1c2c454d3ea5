import { Context, Effect, Layer, type Scope } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Admission } from "./admission.ts"
import { loadLimits } from "./loadLimits.ts"
import { LoadMeter, tickMillis } from "./loadMeter.ts"

/** What this process has to do: fed by the front end, read by whoever must yield to requests. */
export class Load extends Context.Service<
  Load,
  { readonly meter: LoadMeter; readonly admission: Admission }
>()("corrente/load/Load") {}

/** Measures and admits for as long as the scope lasts; requests that would wait for longer than `targetMillis` are not. */
export const makeLoad = (targetMillis: number): Effect.Effect<Load["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    // Not Effect's clock, which a test or a step of the machine's time would turn.
    const meter = new LoadMeter(() => performance.now())
    const options = {
      targetMillis,
      runningMax: loadLimits.requestsRunningMax,
      bytesWaitingMax: loadLimits.requestBytesWaitingMax,
      random: Math.random,
    }
    const admission = new Admission(meter, options, performance.now())
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

/** One {@link Load} a process, and how long requests wait by it. */
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
