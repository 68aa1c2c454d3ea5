import { hexOfId } from "./ids.ts"

const traceparentPattern =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
/** The length of version 00; later versions may add members (W3C Trace Context, "Versioning of traceparent"). */
const firstVersionLength = 55

/** A caller's span, which a request of ours continues. */
export interface TraceParent {
  /** 32 lowercase hexadecimal characters. */
  readonly traceId: string
  /** 16 lowercase hexadecimal characters. */
  readonly spanId: string
  /** Whether the caller says that it records this trace. */
  readonly isSampled: boolean
}

/**
 * Reads a request's `traceparent` (`https://www.w3.org/TR/trace-context/#traceparent-header`). Undefined where the header is absent
 * or invalid, which counts as absent.
 */
export const parseTraceparent = (traceparent: string | undefined): TraceParent | undefined => {
  if (traceparent === undefined) return undefined
  if (traceparent.startsWith("00") && traceparent.length !== firstVersionLength) return undefined
  const [, traceId, spanId, flags = ""] = traceparentPattern.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The trace id of a request's `traceparent`; undefined where the header is absent or invalid. */
export const traceIdOfHeader = (traceparent: string | undefined): string | undefined =>
  parseTraceparent(traceparent)?.traceId

/** The trace id of a resource whose request brought none: the 128 bits of its own id, most of which are random. */
export const madeTraceId = hexOfId

/**
 * Resources begin with these members, so that a trace id is found without parsing the rest, where free text might look
 * like one.
 */
const documentPattern = /^\{"id":"[^"]*","object":"[a-z_]*","trace_id":"([0-9a-f]{32})"/

/** The trace id in a resource's JSON text; undefined where it has none, as what was stored before there were any. */
export const traceIdOf = (document: string): string | undefined => documentPattern.exec(document)?.[1]

/** The `traceparent` of a request of ours, by a parent id of 16 characters; sampled, as each is recorded. */
export const traceparentOf = (traceId: string, parentId: string): string => `00-${traceId}-${parentId}-01`

/** The last 64 bits of an id of ours, nearly all random: 16 lowercase hexadecimal characters. */
const lastBitsOf = (id: string): string => hexOfId(id).slice(-16)

/** The parent id of a delivery's attempt: the last 64 bits of the attempt's own id. */
export const parentIdOfAttempt = lastBitsOf

/**
 * The id of the span that creates a resource. Whatever happens to the resource later, in any process, knows its parent by the
 * resource's id.
 */
export const spanIdOfCreation = lastBitsOf

/**
 * The last characters of the id of a resource whose creation was sampled, so that whoever works on it later traces that too. Any
 * other id ends like this once in a million times.
 */
const sampledMark = "TRCE"

/** The id to give to a resource whose creation is sampled, made of a new id. */
export const sampledId = (id: string): string => id.slice(0, -sampledMark.length) + sampledMark

/** Whether the creation of the resource was sampled. */
export const isSampledId = (id: string): boolean => id.endsWith(sampledMark)
