import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Logger, Metric, Option, Redacted, Scope, Tracer } from "effect"
import { type SpanSink, TraceSpan } from "../../actors/values/traceSpan.ts"
import { traceLimits } from "../../schema/traceLimits.ts"
import { expositionOf } from "../../src/scrape/exposition.ts"
import { reportOf } from "../../src/scrape/series.ts"
import { makeSpanExport } from "../../src/tracing/spanExport.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"
import { type OtlpCollector, startOtlpCollector } from "../support/otlpCollector.ts"
import { until } from "../support/until.ts"

const openCollector = Effect.acquireRelease(Effect.promise(startOtlpCollector), ({ close }) =>
  Effect.promise(close),
)

const settingsOf = (endpoint: string) => ({
  url: `${endpoint}/v1/traces`,
  headers: Redacted.make({ "x-token": "hunter2" }),
  ratio: 1,
  serviceName: "loja",
})

/** An export, with the lines that it logged, the counts of its metrics, and a way to end it. */
const openExport = Effect.fnUntraced(function* (endpoint: string) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message, logLevel }) =>
    lines.push(`${logLevel} ${[message].flat().join(" ")}`),
  )
  const scope = yield* Scope.make()
  const context = yield* Effect.context<never>()
  const sink = yield* makeSpanExport(settingsOf(endpoint), "1.2.3").pipe(
    Scope.provide(scope),
    Effect.provide(Logger.layer([logger])),
  )
  const counts = () => {
    const families = parseExposition(expositionOf(reportOf(context)))
    return (["exported", "dropped"] as const).map((outcome) =>
      valueOf(families, "corrente_trace_spans_total", { outcome }),
    )
  }
  return { sink, lines, counts, end: Scope.close(scope, Exit.void) }
})

/** Ends as many roots. */
const spans = (sink: SpanSink, count: number, exit: Exit.Exit<unknown, unknown> = Exit.void) => {
  for (let i = 0; i < count; i++) {
    const options = {
      name: `span ${i}`,
      kind: "server",
      startTime: 1_000n,
      annotations: Context.empty(),
    } as const
    const span = new TraceSpan({ ...options, parent: Option.none() }, sink)
    span.attribute("corrente.attempt", 2)
    span.attribute("corrente.mode", "test")
    span.end(2_500n, exit)
  }
}

const exporting = <A, E>(
  test: (collector: OtlpCollector) => Effect.Effect<A, E, Scope.Scope>,
): Effect.Effect<A, E> =>
  Effect.scoped(Effect.flatMap(openCollector, test)).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )

describe("spans on their way to a collector", () => {
  it.live("a collector gets spans as OTLP has them, with the headers of the settings", () =>
    exporting((collector) =>
      Effect.gen(function* () {
        const { sink, end } = yield* openExport(collector.endpoint)
        const parent = Tracer.externalSpan({ traceId: "4".repeat(32), spanId: "5".repeat(16), sampled: true })
        const options = {
          name: "GET /v1/charges",
          kind: "client",
          startTime: 1n,
          annotations: Context.empty(),
        } as const
        const failing = new TraceSpan({ ...options, parent: Option.some(parent) }, sink)
        failing.end(2n, Exit.fail({ _tag: "StoreUnavailable" }))
        spans(sink, 1)
        yield* end
        const [failed, root] = collector.spans()
        assert.deepInclude(failed, {
          traceId: parent.traceId,
          parentSpanId: parent.spanId,
          name: "GET /v1/charges",
          kind: 3,
          attributes: { "error.type": "StoreUnavailable" },
          status: { code: 2 },
        })
        assert.deepInclude(root, {
          parentSpanId: undefined,
          kind: 2,
          startNanos: 1_000n,
          endNanos: 2_500n,
          attributes: { "corrente.attempt": 2, "corrente.mode": "test" },
          events: [],
        })
        assert.match(root?.traceId ?? "", /^[0-9a-f]{32}$/)
        assert.match(root?.spanId ?? "", /^[0-9a-f]{16}$/)
        assert.deepInclude(root?.resource, { "service.name": "loja", "service.version": "1.2.3" })
        assert.deepInclude(collector.calls()[0], {
          "x-token": "hunter2",
          "content-type": "application/x-protobuf",
        })
        assert.lengthOf(collector.spans(), 2)
      }),
    ),
  )

  it.live("spans are sent as soon as a call's worth has gathered, and never more in one call", () =>
    exporting((collector) =>
      Effect.gen(function* () {
        const { sink, counts, end } = yield* openExport(collector.endpoint)
        const all = traceLimits.spansPerExportMax + 1
        spans(sink, all)
        yield* Effect.promise(() => until("all to be counted", () => counts()[0] === all))
        assert.deepStrictEqual([collector.spans().length, collector.calls().length], [all, 2])
        yield* end
      }),
    ),
  )

  it.live("spans that have no room to wait are dropped and counted", () =>
    exporting((collector) =>
      Effect.gen(function* () {
        const { sink, counts, end } = yield* openExport(collector.endpoint)
        spans(sink, traceLimits.spansWaitingMax)
        assert.deepStrictEqual(counts(), [0, 0])
        spans(sink, 1)
        assert.deepStrictEqual(counts(), [0, 1])
        yield* Effect.promise(() => until("the others", () => counts()[0] === traceLimits.spansWaitingMax))
        assert.deepStrictEqual(counts(), [traceLimits.spansWaitingMax, 1])
        yield* end
      }),
    ),
  )
})

describe("a collector that is away", () => {
  it.live("what a collector refuses is dropped and counted, and the log says so once", () =>
    exporting((collector) =>
      Effect.gen(function* () {
        collector.behave(400)
        const { sink, counts, lines, end } = yield* openExport(collector.endpoint)
        for (const [round, calls] of [
          [1, 1],
          [2, 1],
        ] as const) {
          spans(sink, traceLimits.spansPerExportMax)
          const dropped = round * traceLimits.spansPerExportMax
          yield* Effect.promise(() => until("the spans to be dropped", () => counts()[1] === dropped))
          // A collector that has failed is left alone for a minute.
          assert.lengthOf(collector.calls(), calls)
        }
        assert.deepStrictEqual(lines, [
          `Warn traces are dropped: the collector at ${collector.endpoint}/v1/traces does not take them`,
        ])
        yield* end
      }),
    ),
  )

  it.live("a collector that never answers delays the end of the process by a bounded time", () =>
    exporting((collector) =>
      Effect.gen(function* () {
        collector.behave("hang")
        const { sink, end } = yield* openExport(collector.endpoint)
        spans(sink, traceLimits.spansPerExportMax + 1)
        yield* Effect.promise(() => until("the call", () => collector.calls().length === 1))
        const beganMillis = yield* Clock.currentTimeMillis
        yield* end
        assert.isAtLeast((yield* Clock.currentTimeMillis) - beganMillis, traceLimits.flushMillis - 5)
        assert.lengthOf(collector.calls(), 1)
        assert.lengthOf(collector.spans(), 0)
      }),
    ),
  )
})
