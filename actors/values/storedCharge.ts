const idStart = '{"id":"'.length
/** All stored charges begin so, and nothing else does. */
const head = '{"id":"txn_'
const idEnd = head.length + 26

/** The id of a charge's stored JSON; undefined for any other text. */
export const chargeIdIn = (stored: string): string | undefined =>
  stored.startsWith(head) ? stored.slice(idStart, idEnd) : undefined
