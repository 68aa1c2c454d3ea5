/**
 * Sends spans to a collector, by OTLP over HTTP (docs/operations.md#traces):
 * 1. Spans wait in memory, a bounded number of them; one too many is dropped and counted.
 * 2. Every five seconds, or when a call's worth has gathered, Effect's exporter posts them. It repeats what may succeed, and gives a
 *    collector that fails a minute's rest.
 * 3. What a call has not delivered in time is dropped and counted. Nothing is kept for a collector that is away.
 * 4. When the process ends, what waits is sent, within a bounded time.
 */

import { Duration, Effect, Layer, Option, Queue, Redacted, Semaphore } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import type { SpanSink, TraceSpan } from "../../actors/values/traceSpan.ts"
import { traceLimits } from "../../schema/traceLimits.ts"
import type { TracesSettings } from "../config/settingsShape.ts"

type OtlpSpan = OtlpTracer.ScopeSpan["spans"][number]

/** `SpanKind` and `StatusCode` of opentelemetry.proto.trace.v1. */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const unset = 0
const error = 2

/** A span as OTLP has it. */
export const encodeSpan = (span: TraceSpan): OtlpSpan => {
  const { status, outcome } = span
  const errorType: ReadonlyArray<[string, unknown]> =
    outcome.errorType === undefined ? [] : [["error.type", outcome.errorType]]
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: Option.getOrUndefined(span.parent)?.spanId,
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(status.startTime),
    endTimeUnixNano: String(status._tag === "Ended" ? status.endTime : status.startTime),
    attributes: OtlpResource.entriesToAttributes([...span.attributes, ...errorType]),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: { code: outcome.isError ? error : unset },
    links: [],
    droppedLinksCount: 0,
  }
}

/** Counts spans in the metrics, by what became of them. */
const makeCounts = Effect.map(makeRegistrar, ({ counter }) => {
  const counts = { exported: 0, dropped: 0 }
  for (const outcome of ["exported", "dropped"] as const) {
    const description = "Spans of traces, by whether the collector got them"
    counter({ name: "corrente_trace_spans_total", description, labels: { outcome } }, () => counts[outcome])
  }
  return counts
})

/** What Effect's exporter does when it is told to: `post` sends spans once, and answers whether the collector has taken them. */
const makePost = Effect.fnUntraced(function* (settings: TracesSettings, serviceVersion: string) {
  const serialization = yield* OtlpSerialization.OtlpSerialization
  const resource = OtlpResource.make({
    serviceName: settings.serviceName,
    serviceVersion,
    attributes: { "process.pid": process.pid },
  })
  let isTaken = false
  let run: Effect.Effect<void> = Effect.void
  // The exporter hands its run over here: it neither gathers nor repeats on its own, so what waits has one bound.
  const flusher = OtlpExporter.Flusher.of({
    flush: Effect.void,
    register: (registered) =>
      Effect.sync(() => {
        run = registered
      }),
  })
  const exporter = yield* OtlpExporter.make({
    label: "Corrente",
    url: settings.url,
    headers: settings.headers && Redacted.value(settings.headers),
    exportInterval: Duration.infinity,
    maxBatchSize: "disabled",
    shutdownTimeout: 0,
    body: (spans: Array<OtlpSpan>) => [
      serialization.traces({
        resourceSpans: [
          { resource, scopeSpans: [{ scope: { name: "corrente", version: serviceVersion }, spans }] },
        ],
      }),
      Effect.sync(() => {
        isTaken = true
      }),
    ],
  }).pipe(Effect.provideService(OtlpExporter.Flusher, flusher))
  return (spans: ReadonlyArray<TraceSpan>): Effect.Effect<boolean> =>
    // The first run ends a rest that is over: until then nothing can be pushed.
    Effect.suspend(() => run).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          isTaken = false
          for (const span of spans) exporter.push(encodeSpan(span))
          return run
        }),
      ),
      Effect.timeoutOption(traceLimits.exportTimeoutMillis),
      Effect.map(() => isTaken),
    )
})

/** Calls nobody but the collector: a redirection would take the headers, which may be secret, elsewhere. */
const HttpLive = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" })),
)

/** Makes the sink that sends spans to the collector of the settings until the scope closes. */
export const makeSpanExport = Effect.fnUntraced(
  function* (settings: TracesSettings, serviceVersion: string) {
    const post = yield* makePost(settings, serviceVersion)
    const counts = yield* makeCounts
    const sending = yield* Semaphore.make(1)
    const gathered = yield* Queue.sliding<"gathered">(1)
    let waiting: Array<TraceSpan> = []
    let isAway = false

    const note = Effect.fnUntraced(function* (spans: number, isTaken: boolean) {
      counts[isTaken ? "exported" : "dropped"] += spans
      if (isTaken !== isAway) return
      isAway = !isTaken
      yield* isAway
        ? Effect.logWarning(`traces are dropped: the collector at ${settings.url} does not take them`)
        : Effect.logInfo(`traces are exported again to ${settings.url}`)
    })

    const sendAll = Effect.gen(function* () {
      while (waiting.length > 0) {
        const spans = waiting.slice(0, traceLimits.spansPerExportMax)
        waiting = waiting.slice(spans.length)
        yield* Effect.flatMap(post(spans), (isTaken) => note(spans.length, isTaken))
      }
    }).pipe(sending.withPermits(1))

    yield* Queue.take(gathered).pipe(
      Effect.timeoutOption(traceLimits.exportIntervalMillis),
      Effect.andThen(sendAll),
      Effect.forever,
      Effect.forkScoped,
    )
    // Runs before the fiber above is interrupted.
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(sendAll), traceLimits.flushMillis).pipe(
        Effect.andThen(
          Effect.suspend(() => (waiting.length > 0 ? note(waiting.length, false) : Effect.void)),
        ),
      ),
    )
    const sink: SpanSink = {
      take: (span) => {
        if (waiting.length >= traceLimits.spansWaitingMax) {
          counts.dropped += 1
          return
        }
        waiting.push(span)
        if (waiting.length === traceLimits.spansPerExportMax) Queue.offerUnsafe(gathered, "gathered")
      },
      drop: (count) => {
        counts.dropped += count
      },
    }
    return sink
  },
  Effect.provide([HttpLive, OtlpSerialization.layerProtobuf]),
)
