import { hexOfId } from "./ids.ts"

const traceparentPattern =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/
/** The length of version 00; later versions may add members (W3C Trace Context, "Versioning of traceparent"). */
const firstVersionLength = 55

/**
 * The trace id of a request's `traceparent` (`https://www.w3.org/TR/trace-context/#traceparent-header`): 32 lowercase
 * hexadecimal characters. Undefined where the header is absent or invalid, which counts as absent.
 */
export const traceIdOfHeader = (traceparent: string | undefined): string | undefined => {
  if (traceparent === undefined) return undefined
  if (traceparent.startsWith("00") && traceparent.length !== firstVersionLength) return undefined
  return traceparentPattern.exec(traceparent)?.[1]
}

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

/** The parent id of a delivery's attempt: the last 64 bits of the attempt's own id, all random. */
export const parentIdOfAttempt = (deliveryId: string): string => hexOfId(deliveryId).slice(-16)
