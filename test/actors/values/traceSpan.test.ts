import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Tracer } from "effect"
import {
  creationId,
  inSpan,
  inSpanBelow,
  inTraceOf,
  openSpanOf,
  outsideSpans,
  TraceSpan,
  TracesExported,
} from "../../../actors/values/traceSpan.ts"
import { ApiError } from "../../../schema/errors.ts"
import { hexOfId } from "../../../schema/ids.ts"
import { isSampledId, sampledId, spanIdOfCreation } from "../../../schema/trace.ts"
import { traceLimits } from "../../../schema/traceLimits.ts"

const id = "txn_01M8G4F25Q013Z7BP8B8JFABCD"
const resource = (id: string, traceId?: string) => ({
  id,
  document: `{"id":"${id}","object":"transaction"${traceId === undefined ? "" : `,"trace_id":"${traceId}"`},"mode":"test"}`,
})

const makeTracer = () => {
  const taken: Array<TraceSpan> = []
  let dropped = 0
  const sink = {
    take: (span: TraceSpan) => taken.push(span),
    drop: (count: number) => {
      dropped += count
    },
  }
  const tracer = Tracer.make({ span: (options) => new TraceSpan(options, sink) })
  const traced = <A, E, R>(program: Effect.Effect<A, E, R>) =>
    program.pipe(Effect.provideService(Tracer.Tracer, tracer), Effect.provideService(TracesExported, true))
  return { taken, dropped: () => dropped, traced, names: () => taken.map(({ name }) => name) }
}

const root = Effect.withSpan("root", { root: true })

describe("a program that is not traced", () => {
  it.effect("a program that is not traced makes no span, and its resource's id stays as it is", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const program = Effect.andThen(inSpan("inner", {}, Effect.void), creationId(id))
      assert.strictEqual(yield* traced(program), id)
      yield* traced(inTraceOf(resource(id), "later", {}, Effect.void))
      assert.deepStrictEqual(taken, [])
    }),
  )

  it.effect("work on a resource whose creation was sampled is not traced where nothing is exported", () =>
    Effect.gen(function* () {
      const open = Effect.withFiber((fiber) => Effect.succeed(openSpanOf(fiber)))
      assert.isUndefined(yield* inTraceOf(resource(sampledId(id)), "later", {}, open))
    }),
  )
})

describe("the trace of a request", () => {
  it.effect("spans are sent once their root has ended, in the order in which they ended", () =>
    Effect.gen(function* () {
      const { names, traced } = makeTracer()
      const inner = inSpan("outer", {}, inSpan("inner", {}, Effect.void))
      yield* traced(root(Effect.tap(inner, () => Effect.sync(() => assert.deepStrictEqual(names(), [])))))
      assert.deepStrictEqual(names(), ["inner", "outer", "root"])
    }),
  )

  it.effect("a request that creates a resource gets its trace id, even for spans that ended before", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const creation = inSpan("creation", {}, creationId(id))
      const made = yield* traced(root(Effect.andThen(inSpan("before", {}, Effect.void), creation)))
      assert.isTrue(isSampledId(made))
      assert.deepStrictEqual(
        taken.map(({ traceId }) => traceId),
        Array.from({ length: 3 }, () => hexOfId(made)),
      )
      assert.strictEqual(taken[1]?.spanId, spanIdOfCreation(made))
    }),
  )

  it.effect("a trace that the caller has begun keeps its id, whatever is created", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const parent = Tracer.externalSpan({ traceId: "4".repeat(32), spanId: "5".repeat(16), sampled: true })
      yield* traced(creationId(id).pipe(Effect.withSpan("root", { parent })))
      assert.deepStrictEqual(taken[0]?.traceId, parent.traceId)
    }),
  )

  it.effect("later work on the resource hangs below the span that created it, in the resource's trace", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const marked = sampledId(id)
      const begun = "6".repeat(32)
      yield* traced(inTraceOf(resource(marked), "own", {}, inSpan("inner", {}, Effect.void)))
      yield* traced(inTraceOf(resource(marked, begun), "begun", {}, Effect.void))
      const [inner, own, ofCaller] = taken
      assert.strictEqual(inner?.traceId, hexOfId(marked))
      assert.strictEqual(own?.parent._tag === "Some" && own.parent.value.spanId, spanIdOfCreation(marked))
      assert.strictEqual(ofCaller?.traceId, begun)
    }),
  )

  it.effect(
    "work that a traced request asks for is in that request's trace, whichever resource it is about",
    () =>
      Effect.gen(function* () {
        const { taken, traced } = makeTracer()
        yield* traced(root(inTraceOf(resource(sampledId(id)), "work", {}, Effect.void)))
        const [work, request] = taken
        assert.strictEqual(work?.traceId, request?.traceId)
        assert.notStrictEqual(work?.traceId, hexOfId(sampledId(id)))
      }),
  )

  it.effect(
    `a request has ${traceLimits.spansPerRootMax} spans; of more the later ones are dropped and counted`,
    () =>
      Effect.gen(function* () {
        const { taken, dropped, traced } = makeTracer()
        const spans = (count: number) =>
          Effect.forEach(Array.from({ length: count }), () => inSpan("inner", {}, Effect.void))
        yield* traced(root(spans(traceLimits.spansPerRootMax - 1)))
        assert.deepStrictEqual([taken.length, dropped()], [traceLimits.spansPerRootMax, 0])
        yield* traced(root(spans(traceLimits.spansPerRootMax)))
        assert.deepStrictEqual([taken.length, dropped()], [2 * traceLimits.spansPerRootMax, 1])
      }),
  )
})

describe("fibers and spans", () => {
  it.effect("a message runs below its asker's span, in whatever fiber", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const asked = yield* Deferred.make<TraceSpan>()
      const done = yield* Deferred.make<void>()
      const actor = Effect.flatMap(Deferred.await(asked), (span) => inSpanBelow(span, "message", Effect.void))
      const fiber = yield* traced(Effect.andThen(actor, Deferred.succeed(done, undefined))).pipe(
        Effect.forkChild,
      )
      const ask = Effect.withFiber((own) => {
        const span = openSpanOf(own)
        return span === undefined ? Effect.die("untraced") : Deferred.succeed(asked, span)
      })
      yield* traced(root(Effect.andThen(ask, Deferred.await(done))))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        taken.map(({ name, traceId }) => [name, traceId === taken[1]?.traceId]),
        [
          ["message", true],
          ["root", true],
        ],
      )
    }),
  )

  it.effect("a fiber that outlives its span is traced no longer, and one forked outside spans never", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const over = yield* Deferred.make<void>()
      const work = inSpan("work", {}, Effect.void)
      const leaked = Effect.andThen(Deferred.await(over), work)
      const forks = Effect.all([Effect.forkDetach(leaked), outsideSpans(Effect.forkDetach(work))])
      const [late, outside] = yield* traced(root(forks))
      yield* Deferred.succeed(over, undefined)
      yield* Effect.all([Fiber.join(late), Fiber.join(outside)])
      assert.deepStrictEqual(
        taken.map(({ name }) => name),
        ["root"],
      )
    }),
  )
})

describe("what a span holds", () => {
  it.effect("a span holds neither messages of errors, nor answers, nor lines of the log", () =>
    Effect.gen(function* () {
      const { taken, traced } = makeTracer()
      const secret = "Ana Souza"
      const refusal = new ApiError({ code: "resource_not_found", message: secret })
      for (const program of [
        Effect.succeed({ name: secret }),
        Effect.fail(refusal),
        Effect.die(new Error(secret)),
        Effect.interrupt,
        Effect.logWarning(secret),
        Effect.annotateCurrentSpan({ customer: { name: secret } }),
      ]) {
        yield* traced(root(program as Effect.Effect<unknown, ApiError>)).pipe(Effect.exit)
      }
      assert.notInclude(
        JSON.stringify(
          taken.map(({ attributes, outcome, status, links }) => [
            [...attributes],
            outcome,
            status._tag === "Ended" && status.exit,
            links,
          ]),
        ),
        secret,
      )
      assert.deepStrictEqual(
        taken.map(({ outcome }) => outcome),
        [
          { isError: false, errorType: undefined },
          { isError: false, errorType: "resource_not_found" },
          { isError: true, errorType: "defect" },
          { isError: false, errorType: "interrupted" },
          { isError: false, errorType: undefined },
          { isError: false, errorType: undefined },
        ],
      )
    }),
  )
})
