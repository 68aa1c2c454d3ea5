const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/
/** Families of names that the contract reserves for us, now or later. */
const reservedFamilies = /^(webhook-|x-event-|x-delivery-)/
/** Names that the contract reserves, and those by which HTTP frames, routes or authenticates the connection. */
const reservedNames: ReadonlySet<string> = new Set([
  "content-type",
  "user-agent",
  "x-signature",
  "x-attempt",
  "idempotency-key",
  "traceparent",
  "tracestate",
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
 * Whether a tracker may have this header of its own (docs/contract/deliveries.md#trackers): a valid name and value (RFC 9110,
 * section 5) that replaces none of ours and leaves the request's framing alone.
 */
export const isExtraHeaderAllowed = (name: string, value: string): boolean => {
  const lowerCase = name.toLowerCase()
  if (reservedNames.has(lowerCase) || reservedFamilies.test(lowerCase)) return false
  return namePattern.test(name) && valuePattern.test(value)
}

/** Shown in place of the value of a tracker's own header, which may be a credential. */
export const hiddenValue = "***"

/** Hides the values of headers. */
export const hideValues = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hiddenValue]))
