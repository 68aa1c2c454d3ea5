import { Clock, Context, Effect, Layer, Tracer } from "effect"
import { TraceSpan, TracesExported } from "../../actors/values/traceSpan.ts"
import type { TracesSettings } from "../config/settingsShape.ts"
import { makeSampler, RequestSampler } from "./sampler.ts"

/** Only processes that export traces load the exporter. */
const loadExport = Effect.promise(() => import("./spanExport.ts"))

const makeTraces = Effect.fnUntraced(function* (settings: TracesSettings, serviceVersion: string) {
  const { makeSpanExport } = yield* loadExport
  const sink = yield* makeSpanExport(settings, serviceVersion)
  const clock = yield* Clock.Clock
  const sampler = makeSampler({
    ratio: settings.ratio,
    random: Math.random,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
  })
  return Context.make(Tracer.Tracer, Tracer.make({ span: (options) => new TraceSpan(options, sink) })).pipe(
    Context.add(TracesExported, true),
    Context.add(RequestSampler, sampler),
  )
})

/**
 * Traces requests and what follows from them, and exports their spans (docs/operations.md#traces). Undefined settings: nothing is
 * traced, and programs run as they are.
 */
export const TracesLive = (settings: TracesSettings | undefined, serviceVersion: string) =>
  settings === undefined ? Layer.empty : Layer.effectContext(makeTraces(settings, serviceVersion))
