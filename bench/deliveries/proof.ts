import type { SeenDeliveries } from "../load/deliveryProtocol.ts"
import type { StoredAttempts } from "./side.ts"

/** What a round should come to. */
export interface ExpectedRound {
  readonly deliveries: number
  /** Attempts of each delivery, and each is one request. */
  readonly attempts: number
  /** Attempts by the status that they are recorded with; undefined where that is a matter of time. */
  readonly byStatus: Readonly<Record<string, number>> | undefined
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")

const isSame = (left: Readonly<Record<string, number>>, right: Readonly<Record<string, number>>): boolean =>
  [...Object.keys(left), ...Object.keys(right)].every((name) => (left[name] ?? 0) === (right[name] ?? 0))

/**
 * What is wrong with a round; empty where each delivery was received once an attempt, by the endpoint that it was owed to, with
 * a right signature, and the attempts that are recorded are those that were seen.
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
  if (seen.missing > 0) faults.push(`${seen.missing} of ${deliveries} deliveries never came`)
  if (wrongAttempts.length > 0) faults.push(`${deliveries} deliveries, ${wrongAttempts.join(", ")}`)
  if (seen.repeated > 0) faults.push(`${seen.repeated} requests came more than once`)
  if (seen.foreign > 0) faults.push(`${seen.foreign} requests of nobody's deliveries`)
  if (seen.verified === 0) faults.push("no signature was verified")
  if (seen.badSignatures.length > 0) faults.push(`bad signatures: ${seen.badSignatures.join(", ")}`)
  if (stored.attempts !== seen.requests || stored.digest !== seen.digest) {
    faults.push(`${seen.requests} requests, ${stored.attempts} attempts recorded, or other ones`)
  }
  if (byStatus !== undefined && !isSame(byStatus, stored.byStatus)) {
    faults.push(`recorded as ${countsText(stored.byStatus)} instead of ${countsText(byStatus)}`)
  }
  return faults
}
