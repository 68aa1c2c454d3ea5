import type { SeenEvent } from "../load/eventProtocol.ts"
import type { AnsweredCharge } from "../load/workload.ts"

/** What happened to the charges of one round. */
export interface EventRound {
  readonly charges: ReadonlyArray<AnsweredCharge>
  readonly frames: ReadonlyArray<SeenEvent>
  readonly deliveries: ReadonlyArray<SeenEvent>
}

/** Times in ms, unsorted. `created_at` is truncated to whole ms, so times measured from it are up to 1 ms too long. */
export interface EventTimes {
  /** From an event's `created_at` to its complete frame; both types. */
  readonly eventToFrame: ReadonlyArray<number>
  /** From an event's `created_at` to its complete request. */
  readonly eventToReceiver: ReadonlyArray<number>
  /** From the response to a POST to the frame of its `transaction.created`; negative if the frame arrived first. */
  readonly answerToFrame: ReadonlyArray<number>
}

const age = ({ createdAtMillis, seenAtMillis }: SeenEvent): number => seenAtMillis - createdAtMillis

/** The times of a round. */
export const timesOf = ({ charges, frames, deliveries }: EventRound): EventTimes => {
  const createdFrames = new Map(
    frames.filter(({ type }) => type === "transaction.created").map((frame) => [frame.transactionId, frame]),
  )
  return {
    eventToFrame: frames.map(age),
    eventToReceiver: deliveries.map(age),
    answerToFrame: charges.flatMap(({ id, answeredAtMillis }) => {
      const frame = createdFrames.get(id)
      return frame === undefined ? [] : [frame.seenAtMillis - answeredAtMillis]
    }),
  }
}

const sumOf = (items: ReadonlyArray<{ readonly amount: number }>): number =>
  items.reduce((sum, { amount }) => sum + amount, 0)

/** One per charge, with its amount: the same ids, each once. */
const isOnePerCharge = (
  charges: ReadonlyArray<AnsweredCharge>,
  events: ReadonlyArray<SeenEvent>,
): boolean => {
  const ids = new Set(events.map(({ transactionId }) => transactionId))
  return (
    events.length === charges.length &&
    ids.size === charges.length &&
    charges.every(({ id }) => ids.has(id)) &&
    sumOf(events) === sumOf(charges)
  )
}

/** Problems of a round; none if every charge has its two frames in order and its one delivery. */
export const faultsOf = ({ charges, frames, deliveries }: EventRound): ReadonlyArray<string> => {
  const faults: Array<string> = []
  for (const type of ["transaction.created", "transaction.paid"]) {
    const found = frames.filter((frame) => frame.type === type)
    if (!isOnePerCharge(charges, found)) {
      faults.push(`${charges.length} charges, ${found.length} frames of ${type}, or frames of other charges`)
    }
  }
  const first = frames[0]?.seq ?? 0
  if (frames.some(({ seq }, index) => seq !== first + index)) faults.push("the frames' seq is not contiguous")
  if (!isOnePerCharge(charges, deliveries)) {
    faults.push(`${charges.length} charges, ${deliveries.length} deliveries, or deliveries of other charges`)
  }
  return faults
}
