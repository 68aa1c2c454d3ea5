import { crc32 } from "node:zlib"
import type { Arrival, ReceiverAnswer } from "./receiver.ts"

/**
 * Endpoints in groups of equal size. Event n of a round is owed to group n modulo the number of groups. An endpoint is
 * the number of its receiver, and belongs to at most one group.
 */
export type EndpointGroups = ReadonlyArray<ReadonlyArray<number>>

/** Endpoints 0 to `count`, `perGroup` to a group; all in one where there are fewer. */
export const groupsOf = (count: number, perGroup: number): EndpointGroups => {
  const size = Math.min(count, perGroup)
  return Array.from({ length: Math.floor(count / size) }, (_, group) =>
    Array.from({ length: size }, (__, position) => group * size + position),
  )
}

/** The deliveries of a round: `events` events, each to every endpoint of its group. */
export interface DeliveryRound {
  /** Tells rounds apart; below 100,000. */
  readonly run: number
  readonly events: number
  readonly groups: EndpointGroups
}

export const perEventOf = ({ groups }: Pick<DeliveryRound, "groups">): number => groups[0]?.length ?? 0

const idStart = "txn_01ARZ3NDEK00"

/** The charge of event n of a round: its id contains both numbers. */
export const resourceIdOf = (run: number, event: number): string =>
  `${idStart}${String(run).padStart(5, "0")}${String(event).padStart(9, "0")}`

/** The number of a round's event; undefined if the charge is none of its own. */
const eventOf = ({ run, events }: DeliveryRound, chargeId: string): number | undefined => {
  const event = Number(chargeId.slice(-9))
  return event < events && chargeId === resourceIdOf(run, event) ? event : undefined
}

/** Digests ids in any order: two different sets of ids have different digests. */
export const digestOf = (ids: ReadonlyArray<string>): number => ids.reduce((sum, id) => sum + crc32(id), 0)

/** Sorts what arrived by delivery; the deliveries of an event are adjacent, in the order of its group. */
export const readArrivals = (round: DeliveryRound, arrivals: ReadonlyArray<Arrival>) => {
  const { events, groups } = round
  const perEvent = perEventOf(round)
  /** When each delivery's first attempt arrived; NaN if none did. */
  const firstMillis = new Float64Array(events * perEvent).fill(Number.NaN)
  /** Deliveries by attempt number, from 1. */
  const byAttempt: Array<number> = []
  const seen = new Set<string>()
  let [repeated, foreign] = [0, 0]
  for (const { endpoint, attempt, chargeId, atMillis } of arrivals) {
    const event = eventOf(round, chargeId)
    const position = groups[(event ?? 0) % groups.length]?.indexOf(endpoint) ?? -1
    if (event === undefined || position < 0 || !(attempt > 0)) {
      foreign += 1
      continue
    }
    const delivery = event * perEvent + position
    if (seen.size === seen.add(`${delivery} ${attempt}`).size) {
      repeated += 1
      continue
    }
    byAttempt[attempt - 1] = (byAttempt[attempt - 1] ?? 0) + 1
    if (attempt === 1) firstMillis[delivery] = atMillis
  }
  return { firstMillis, byAttempt: Array.from(byAttempt, (count) => count ?? 0), repeated, foreign }
}

/** Attempts that a side has recorded. */
export interface StoredAttempts {
  readonly attempts: number
  /** `digestOf` their ids. */
  readonly digest: number
  readonly byStatus: Readonly<Record<string, number>>
}

/** What a round must do: each attempt is one request. */
export interface ExpectedRound {
  readonly attempts: number
  /** Attempts by recorded status; undefined if that depends on timing. */
  readonly byStatus: Readonly<Record<string, number>> | undefined
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted()
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")

/**
 * The problems of a round. It has none if each delivery was received once per attempt, at the endpoint it was owed to,
 * with a valid signature, and the recorded attempts are those that were received.
 */
export const faultsOf = (
  round: DeliveryRound,
  { attempts, byStatus }: ExpectedRound,
  { arrivals, verified, problems }: Pick<ReceiverAnswer, "arrivals" | "verified" | "problems">,
  stored: StoredAttempts,
): ReadonlyArray<string> => {
  const { byAttempt, repeated, foreign } = readArrivals(round, arrivals)
  const deliveries = round.events * perEventOf(round)
  const faults = problems.map((problem) => `bad signature: ${problem}`)
  const wanted = Array.from({ length: attempts }, () => deliveries)
  if (byAttempt.join() !== wanted.join()) {
    faults.push(`${deliveries} deliveries, received by attempt: ${byAttempt.join(", ")}`)
  }
  if (repeated > 0) faults.push(`${repeated} requests arrived more than once`)
  if (foreign > 0) faults.push(`${foreign} requests belong to no delivery`)
  if (verified === 0) faults.push("no signature was verified")
  const digest = digestOf(arrivals.map(({ deliveryId }) => deliveryId))
  if (stored.attempts !== arrivals.length || stored.digest !== digest) {
    faults.push(`${arrivals.length} requests, ${stored.attempts} attempts recorded, or different ones`)
  }
  if (byStatus !== undefined && countsText(byStatus) !== countsText(stored.byStatus)) {
    faults.push(`recorded as ${countsText(stored.byStatus)} instead of ${countsText(byStatus)}`)
  }
  return faults
}
