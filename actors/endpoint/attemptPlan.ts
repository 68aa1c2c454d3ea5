import { Schema } from "effect"
import { eventIdOf, timeOfId } from "../../schema/ids.ts"
import type { AttemptFault } from "../../schema/names.ts"
import type { AttemptStatus, Delivery } from "../../schema/resources/delivery.ts"
import { storedHeaders } from "../delivery/sentHeaders.ts"
import { testEventOf } from "../event/testEvent.ts"
import type { ClaimedDelivery } from "../ports/deliveryQueue.ts"
import type { AttemptResult } from "../ports/sender.ts"
import { storedReader } from "../values/storedDocuments.ts"

/** How an attempt is recorded, and when the next one is due; undefined when the delivery has ended. */
export interface Verdict {
  readonly status: AttemptStatus
  readonly retryInMillis: number | undefined
}

/**
 * Judges an attempt. A failure that is retried is followed by the next attempt after exactly the schedule's delay; the failure
 * of the last attempt is `dead`. A failure that is not retried is `failed` and ends the delivery; one whose event is no longer
 * kept is `dead`. `scheduleMillis[n - 1]` is the delay after the failure of attempt n, so there are `length + 1` attempts
 * (docs/contract/deliveries.md#retries).
 */
export const judge = (
  result: Pick<AttemptResult, "outcome" | "retriable"> & { readonly error?: string | null },
  attempt: number,
  scheduleMillis: ReadonlyArray<number>,
): Verdict => {
  if (result.outcome === "success") return { status: "success", retryInMillis: undefined }
  if (result.error === "event_expired") return { status: "dead", retryInMillis: undefined }
  if (!result.retriable) return { status: "failed", retryInMillis: undefined }
  const delay = scheduleMillis[attempt - 1]
  return delay === undefined
    ? { status: "dead", retryInMillis: undefined }
    : { status: "failed", retryInMillis: delay }
}

/** The outcome of an attempt not made because its endpoint was disabled or deleted (docs/contract/deliveries.md#outcomes). */
export const endpointDisabled = (targetHost: string) => notMade("endpoint_disabled", targetHost)

/** The outcome of an attempt not made because its event is no longer kept. */
export const eventExpired = (targetHost: string) => notMade("event_expired", targetHost)

const notMade = (
  error: Extract<AttemptFault, "endpoint_disabled" | "event_expired">,
  targetHost: string,
) => ({
  outcome: "failed" as const,
  retriable: false,
  error,
  statusCode: null,
  responseMillis: null,
  responseBodyExcerpt: null,
  requestHeaders: {},
  requestPath: null,
  targetHost,
})

/** The outcome of an attempt: the sender's result, or that it was not made. */
export type Outcome = AttemptResult | ReturnType<typeof notMade>

/** What is stored of an attempt besides its list row. */
const AttemptDetail = Schema.Struct({
  /** Without those that follow from the row (actors/delivery/sentHeaders.ts). */
  request_headers: Schema.Record(Schema.String, Schema.String),
  response_body_excerpt: Schema.NullOr(Schema.String),
  /** Path and query; the row has the host. Null where nothing was to be sent. */
  path: Schema.NullOr(Schema.String),
})

/** The detail of a stored attempt. */
export const parseAttemptDetail = storedReader("attempt's detail", AttemptDetail)

/** Renders an attempt's list row and its detail as JSON texts (docs/contract/deliveries.md#fields). */
export const attemptTexts = (
  delivery: ClaimedDelivery,
  deliveryId: string,
  outcome: Outcome,
  verdict: Verdict,
): { readonly row: string; readonly detail: string } => {
  const { destination, entry } = delivery
  const testEvent = testEventOf(entry)
  const row: Delivery = {
    id: deliveryId,
    event_id: eventIdOf(destination, entry.entryId),
    event_type: testEvent?.type ?? entry.type,
    ...(testEvent === undefined ? {} : { test_event: true }),
    endpoint_id: destination.target === "endpoint" ? destination.id : null,
    target: destination.target,
    attempt: delivery.attempt,
    status: verdict.status,
    status_code: outcome.statusCode,
    response_ms: outcome.responseMillis,
    error: outcome.error,
    // The id's time, even where the id was promised before: lists sort and filter by it.
    created_at: new Date(timeOfId(deliveryId)).toISOString(),
    target_host: outcome.targetHost,
  }
  const detail: typeof AttemptDetail.Type = {
    request_headers: storedHeaders(row, outcome.requestHeaders),
    response_body_excerpt: outcome.responseBodyExcerpt,
    path: outcome.requestPath,
  }
  return { row: JSON.stringify(row), detail: JSON.stringify(detail) }
}

/** The host of a URL as a row shows it; empty when the URL cannot be parsed. */
export const hostOf = (url: string): string => {
  try {
    return new URL(url).host
  } catch {
    return ""
  }
}
