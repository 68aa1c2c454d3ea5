import type { SeenDeliveries } from "../load/deliveryProtocol.ts"
import type { StoredAttempts } from "./side.ts"

/** The expected result of a round. */
export interface ExpectedRound {
  readonly deliveries: number
  /** Attempts of each delivery; each attempt is one request. */
  readonly attempts: number
  /** Attempts by recorded status; undefined if that depends on timing. */
  readonly byStatus: Readonly<Record<string, number>> | undefined
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")

const isSame = (left: Readonly<Record<string, number>>, right: Readonly<Record<string, number>>): boolean =>
  [...Object.keys(left), ...Object.keys(right)].every((name) => (left[name] ?? 0) === (right[name] ?? 0))

/**
 * The problems of a round. It has none if each delivery was received once per attempt, at the endpoint it was owed to,
 * with a valid signature, and the recorded attempts are those that were received.
 */
export const faultsOf = (
  { deliveries, attempts, byStatus }: ExpectedRound,
  seen: SeenDeliveries,
  stored: StoredAttempts,
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const wrongAttempts = seen.byAttempt.flatMap((requests, index) =>
    requests === (index < attempts ? deliveries : 0) ? [] : [`${requests} requests of attempt ${index + 1}`],
  )
  if (seen.missing > 0) faults.push(`${seen.missing} of ${deliveries} deliveries never arrived`)
  if (wrongAttempts.length > 0) faults.push(`${deliveries} deliveries, ${wrongAttempts.join(", ")}`)
  if (seen.repeated > 0) faults.push(`${seen.repeated} requests arrived more than once`)
  if (seen.foreign > 0) faults.push(`${seen.foreign} requests belong to no delivery`)
  if (seen.verified === 0) faults.push("no signature was verified")
  if (seen.badSignatures.length > 0) faults.push(`bad signatures: ${seen.badSignatures.join(", ")}`)
  if (stored.attempts !== seen.requests || stored.digest !== seen.digest) {
    faults.push(`${seen.requests} requests, ${stored.attempts} attempts recorded, or different ones`)
  }
  if (byStatus !== undefined && !isSame(byStatus, stored.byStatus)) {
    faults.push(`recorded as ${countsText(stored.byStatus)} instead of ${countsText(byStatus)}`)
  }
  return faults
}
