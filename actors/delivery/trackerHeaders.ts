const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/
/** Families of names that are ours by contract, those that may come included. */
const reservedFamilies = /^(webhook-|x-event-|x-delivery-)/
/** Names that are ours by contract, and those by which HTTP frames, routes or authenticates the connection itself. */
const reservedNames: ReadonlySet<string> = new Set([
  "content-type",
  "user-agent",
  "x-signature",
  "x-attempt",
  "idempotency-key",
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
 * Whether a tracker may have this header of its own (decisions 5): a valid name and value (RFC 9110, section 5) that
 * takes the place of none of ours and does not touch the request's framing.
 */
export const isExtraHeaderAllowed = (name: string, value: string): boolean => {
  const lowerCase = name.toLowerCase()
  if (reservedNames.has(lowerCase) || reservedFamilies.test(lowerCase)) return false
  return namePattern.test(name) && valuePattern.test(value)
}

/** What stands for the value of a tracker's own header wherever it is shown: it may be a credential. */
export const hiddenValue = "***"

/** Headers with their values hidden. */
export const hideValues = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, hiddenValue]))
