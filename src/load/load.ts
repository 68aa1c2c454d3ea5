import { Context, Effect, Layer, type Scope } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { LoadMeter, tickMillis } from "./loadMeter.ts"

/** What this process has to do: fed by the front end, read by whoever must yield to requests. */
export class Load extends Context.Service<Load, { readonly meter: LoadMeter }>()("corrente/load/Load") {}

/** Measures for as long as the scope lasts. */
export const makeLoad: Effect.Effect<Load["Service"], never, Scope.Scope> = Effect.gen(function* () {
  // Not Effect's clock, which a test or a step of the machine's time would turn.
  const meter = new LoadMeter(() => performance.now())
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(() => meter.tick(), tickMillis)),
    (timer) => Effect.sync(() => clearInterval(timer)),
  )
  return Load.of({ meter })
})

/** One {@link Load} a process, and how long requests wait by it. */
export const LoadLive: Layer.Layer<Load | RequestDelay> = Layer.effect(
  RequestDelay,
  Effect.map(Load, ({ meter }) => RequestDelay.of({ currentMillis: () => meter.delayMillis })),
).pipe(Layer.provideMerge(Layer.effect(Load, makeLoad)))
