import { plainHeaders } from "../../../actors/delivery/sentHeaders.ts"
import { hiddenValue, isExtraHeaderAllowed } from "../../../actors/delivery/trackerHeaders.ts"
import type { AttemptRequest } from "../../../actors/ports/sender.ts"
import { parentIdOfAttempt, traceparentOf } from "../../../schema/trace.ts"
import { signAttempt } from "../signature.ts"

/**
 * The headers of an attempt: ours, those of Standard Webhooks 1.0, W3C's `traceparent`, and those of a tracker
 * (docs/contract/deliveries.md#request). Without a secret there are no signatures.
 */
export const attemptHeaders = (
  request: AttemptRequest,
  body: Uint8Array,
  timestampSeconds: number,
): Record<string, string> => {
  const signatures = signAttempt({
    secrets: request.secrets,
    eventId: request.eventId,
    timestampSeconds,
    body,
  })
  const headers = plainHeaders(request)
  headers["webhook-timestamp"] = String(timestampSeconds)
  if (signatures !== null) {
    headers["X-Signature"] = signatures.xSignature
    headers["webhook-signature"] = signatures.webhookSignature
  }
  if (request.traceId !== undefined) {
    headers.traceparent = traceparentOf(request.traceId, parentIdOfAttempt(request.deliveryId))
  }
  for (const name in request.extraHeaders) {
    const value = request.extraHeaders[name]
    if (value !== undefined && isExtraHeaderAllowed(name, value)) headers[name] = value
  }
  return headers
}

/** The headers of an attempt as shown: those of a tracker without values. */
export const shownHeaders = (
  headers: Readonly<Record<string, string>>,
  extraHeaders: AttemptRequest["extraHeaders"],
): Readonly<Record<string, string>> => {
  if (extraHeaders === undefined) return headers
  const isTheirs = (name: string) => name in extraHeaders && isExtraHeaderAllowed(name, "")
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isTheirs(name) ? hiddenValue : value]),
  )
}
