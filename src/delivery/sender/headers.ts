import type { AttemptRequest } from "../../../actors/ports/sender.ts"
import { signAttempt } from "../signature.ts"

const TOKEN_PATTERN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE_PATTERN = /^[\t\x20-\x7e\x80-\xff]*$/
/** Names that are ours by contract, and those by which HTTP frames, routes or authenticates the connection itself. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "content-type",
  "user-agent",
  "x-signature",
  "x-event-id",
  "x-event-type",
  "x-delivery-id",
  "x-attempt",
  "idempotency-key",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "host",
  "connection",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "keep-alive",
  "proxy-connection",
])

/**
 * Whether a tracker may have this header of its own: a valid name and value (RFC 9110, section 5) that takes the
 * place of none of ours and does not touch the request's framing.
 */
export const isExtraHeaderAllowed = (name: string, value: string): boolean =>
  TOKEN_PATTERN.test(name) && VALUE_PATTERN.test(value) && !RESERVED_NAMES.has(name.toLowerCase())

/**
 * The headers of one attempt: those of spec 6, those of Standard Webhooks 1.0 (decisions 5) and a tracker's own.
 * Without a secret both signatures are absent.
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
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": "Service-Webhooks/1.0",
    "X-Event-Id": request.eventId,
    "X-Event-Type": request.eventType,
    "X-Delivery-Id": request.deliveryId,
    "X-Attempt": String(request.attempt),
    "Idempotency-Key": request.eventId,
    "webhook-id": request.eventId,
    "webhook-timestamp": String(timestampSeconds),
  }
  if (signatures !== null) {
    headers["X-Signature"] = signatures.xSignature
    headers["webhook-signature"] = signatures.webhookSignature
  }
  for (const name in request.extraHeaders) {
    const value = request.extraHeaders[name]
    if (value !== undefined && isExtraHeaderAllowed(name, value)) headers[name] = value
  }
  return headers
}
