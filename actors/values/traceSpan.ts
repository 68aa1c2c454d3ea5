/**
 * The spans of a sampled request or attempt (docs/operations.md#traces).
 *
 * 1. Whoever decides to trace opens a root: a request (`src/http/contract/requestSpan.ts`), or work on a resource whose creation was
 *    sampled ({@link inTraceOf}).
 * 2. What runs in it opens spans below ({@link inSpan}). Without a root none is made: programs run as they are.
 * 3. A request that creates a resource names it ({@link creationId}): the trace gets the resource's trace id, unless the caller has
 *    begun one, and the resource's id says that it was sampled.
 * 4. Ended spans are kept until their root has ended, because their trace id may only be known by then. Then they are sent.
 *
 * A span holds ids, names of ours and numbers: neither what programs answer nor messages of errors, which may quote customers.
 */

import { randomBytes } from "node:crypto"
import { Cause, Context, Effect, Exit, type Fiber, Option, Tracer } from "effect"
import { isSampledId, madeTraceId, sampledId, spanIdOfCreation, traceIdOf } from "../../schema/trace.ts"
import { traceLimits } from "../../schema/traceLimits.ts"

/** Where ended spans go. */
export interface SpanSink {
  readonly take: (span: TraceSpan) => void
  /** Counts spans that a root had no room for. */
  readonly drop: (count: number) => void
}

/** Whether spans are exported. Without an exporter nobody opens a root. */
export const TracesExported = Context.Reference<boolean>("corrente/actors/TracesExported", {
  defaultValue: () => false,
})

/** What the spans below one root share. */
class SpansOfRoot implements SpanSink {
  readonly #sink: SpanSink
  readonly #root: TraceSpan
  /** The trace that a caller or an earlier request has begun. */
  readonly #givenTraceId: string | undefined
  #ownTraceId: string | undefined = undefined
  /** Undefined once the root has ended. */
  #held: Array<TraceSpan> | undefined = []

  constructor(sink: SpanSink, root: TraceSpan, givenTraceId: string | undefined) {
    this.#sink = sink
    this.#root = root
    this.#givenTraceId = givenTraceId
  }

  get traceId(): string {
    if (this.#givenTraceId !== undefined) return this.#givenTraceId
    this.#ownTraceId ??= randomBytes(16).toString("hex")
    return this.#ownTraceId
  }

  begin(traceId: string): void {
    this.#ownTraceId = traceId
  }

  take(span: TraceSpan): void {
    if (this.#held === undefined) {
      this.#sink.take(span)
    } else if (span === this.#root) {
      for (const held of this.#held) this.#sink.take(held)
      this.#held = undefined
      this.#sink.take(span)
    } else if (this.#held.length + 1 < traceLimits.spansPerRootMax) {
      this.#held.push(span)
    } else {
      this.drop(1)
    }
  }

  drop(count: number): void {
    this.#sink.drop(count)
  }
}

/** How a span ended: what failed by its code or tag. A refusal (4xx) is no error of ours. */
export interface SpanOutcome {
  readonly isError: boolean
  /** The code or tag of what failed; undefined for a success. */
  readonly errorType: string | undefined
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): SpanOutcome => {
  if (Exit.isSuccess(exit)) return { isError: false, errorType: undefined }
  if (Cause.hasInterruptsOnly(exit.cause)) return { isError: false, errorType: "interrupted" }
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (failure === undefined) return { isError: true, errorType: "defect" }
  const { code, status, _tag } = failure as {
    readonly code?: string
    readonly status?: number
    readonly _tag?: string
  }
  return { isError: !(typeof status === "number" && status < 500), errorType: code ?? _tag ?? "failure" }
}

type TracerSpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/** A span that is recorded. */
export class TraceSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly kind: Tracer.SpanKind
  readonly sampled = true
  readonly attributes = new Map<string, string | number | boolean>()
  status: Tracer.SpanStatus
  outcome: SpanOutcome = { isError: false, errorType: undefined }
  #spanId: string = randomBytes(8).toString("hex")
  readonly #root: SpansOfRoot

  constructor(
    options: Pick<TracerSpanOptions, "name" | "parent" | "annotations" | "kind" | "startTime">,
    /** Used where `parent` is no span of this process. */
    sink: SpanSink,
  ) {
    this.name = options.name
    this.parent = options.parent
    this.annotations = options.annotations
    this.kind = options.kind
    this.status = { _tag: "Started", startTime: options.startTime }
    const parent = Option.getOrUndefined(options.parent)
    this.#root = parent instanceof TraceSpan ? parent.#root : new SpansOfRoot(sink, this, parent?.traceId)
  }

  get spanId(): string {
    return this.#spanId
  }

  get traceId(): string {
    return this.#root.traceId
  }

  /** Gives it another id, of 16 hexadecimal characters: one that is known elsewhere. To be called before its root ends. */
  identify(spanId: string): void {
    this.#spanId = spanId
  }

  /** Says that this span creates the resource: spans of later work on it have this one as their parent. */
  creates(resourceId: string): void {
    this.identify(spanIdOfCreation(resourceId))
    this.#root.begin(madeTraceId(resourceId))
    this.attribute("corrente.resource.id", resourceId)
  }

  /** Opens a span below this one, for whoever has no fiber to run in; its opener ends it. */
  child(name: string, kind: Tracer.SpanKind, startTime: bigint): TraceSpan {
    const options = { name, kind, startTime, parent: Option.some(this), annotations: Context.empty() }
    return new TraceSpan(options, this.#root)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    this.outcome = outcomeOf(exit)
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit: Exit.void }
    this.#root.take(this)
  }

  attribute(key: string, value: unknown): void {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      this.attributes.set(key, value)
    }
  }

  /** Lines of the log stay in the log: they are sentences, which may quote customers. */
  event(): void {}

  addLinks(): void {}
}

/**
 * The span that a fiber runs in; undefined where it is not traced. A fiber that outlives the span it was forked in is not traced
 * either.
 */
export const openSpanOf = (fiber: Fiber.Fiber<unknown, unknown> | undefined): TraceSpan | undefined => {
  const span = fiber?.cache.span
  return span instanceof TraceSpan && span.status._tag === "Started" ? span : undefined
}

/** What a span is opened with. Attributes are ids, names of ours and numbers. */
export interface SpanDetails {
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

const opened = <A, E, R>(
  name: string,
  details: SpanDetails,
  program: Effect.Effect<A, E, R>,
  parent?: Tracer.AnySpan,
): Effect.Effect<A, E, R> =>
  Effect.withSpan(program, name, { ...details, parent, captureStackTrace: false }) as Effect.Effect<A, E, R>

/** Runs a program in a span of its own where its fiber is traced; otherwise as it is. */
export const inSpan = <A, E, R>(
  name: string,
  details: SpanDetails,
  program: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => (openSpanOf(fiber) === undefined ? program : opened(name, details, program)))

/** Runs a program in a span below `parent`, whatever fiber it runs in. */
export const inSpanBelow = <A, E, R>(
  parent: TraceSpan,
  name: string,
  program: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => opened(name, {}, program, parent)

/** A stored charge, withdrawal or refund: its id, and its JSON text, which begins with its trace id. */
export interface TracedResource {
  readonly id: string
  readonly document: string
}

/** The span that created a resource, if that was sampled. */
const creationOf = ({ id, document }: TracedResource): Tracer.ExternalSpan =>
  Tracer.externalSpan({
    traceId: traceIdOf(document) ?? madeTraceId(id),
    spanId: spanIdOfCreation(id),
    sampled: true,
  })

/**
 * Runs later work on a resource in a span of its own: below the span that it runs in, or else, where the resource's creation was
 * sampled, below that. Otherwise as it is.
 */
export const inTraceOf = <A, E, R>(
  resource: TracedResource,
  name: string,
  details: SpanDetails,
  program: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (openSpanOf(fiber) !== undefined) return opened(name, details, program)
    if (!isSampledId(resource.id) || !fiber.getRef(TracesExported)) return program
    const attributes = { "corrente.resource.id": resource.id, ...details.attributes }
    return opened(name, { ...details, attributes }, program, creationOf(resource))
  })

/** Tells the span that the running program is in; nothing where it is not traced. */
export const tellSpan = (tell: (span: TraceSpan) => void): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = openSpanOf(fiber)
    if (span !== undefined) tell(span)
    return Effect.void
  })

/** The id of a resource that the running program is about to create: `id`, marked as sampled if the program is traced. */
export const creationId = (id: string): Effect.Effect<string> =>
  Effect.withFiber((fiber) => {
    const span = openSpanOf(fiber)
    if (span === undefined) return Effect.succeed(id)
    const marked = sampledId(id)
    span.creates(marked)
    return Effect.succeed(marked)
  })

/** Runs a program without the span of whoever starts it, which it outlives. */
export const outsideSpans = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    fiber.cache.span === undefined
      ? program
      : Effect.updateContext(
          program,
          (context: Context.Context<R>) => Context.omit(Tracer.ParentSpan)(context) as Context.Context<R>,
        ),
  )
