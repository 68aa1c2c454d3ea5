import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { withdrawalTimers } from "../../actors/seller/decisions/withdrawalTransitions.ts"
import { exceptionTimerName } from "../../actors/values/exceptionTimers.ts"
import { noticeTimerName } from "../../actors/values/receivedNotice.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { reportTimerName } from "../../actors/values/reportPeriods.ts"
import { revokeTimerName } from "../../actors/values/revokeTimer.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { readChargeDocument, readRefundDocument, readWithdrawalDocument } from "./documents.ts"
import type { Fields } from "./reads.ts"

/** A timer without which a state would never end. */
export interface NeededTimer {
  readonly resourceId: string
  readonly name: string
  /** When it is due by the seller's clock, in ms; 0: at once. */
  readonly shownMillis: number
}

/** The timer's member in its queue. */
export const memberOf = ({ resourceId, name }: NeededTimer): string => `${resourceId}:${name}`

/** A pending charge expires, and a held reserve is released. No state depends on querying the acquirer. */
export const timersOfCharge = (resourceId: string, record: Fields): ReadonlyArray<NeededTimer> => {
  const charge = readChargeDocument(record.document)
  if (charge === undefined) return []
  const { reserve, status } = charge
  const isHeld = status === "paid" && reserve !== null && reserve.released_at === null && reserve.amount > 0
  return [
    ...(status === "pending"
      ? [{ resourceId, name: timerNames.expire, shownMillis: Date.parse(charge.expires_at) }]
      : []),
    ...(isHeld
      ? [{ resourceId, name: timerNames.release, shownMillis: Date.parse(reserve.release_at) }]
      : []),
  ]
}

const nameByStatus: Readonly<Record<string, string>> = {
  awaiting: withdrawalTimers.decide,
  approved: withdrawalTimers.pay,
  processing: withdrawalTimers.poll,
}

/**
 * A withdrawal moves on from every state that is not final; in live mode a person decides on one that awaits
 * approval.
 */
export const timersOfWithdrawal = (
  resourceId: string,
  { mode }: Pick<Feed, "mode">,
  record: Fields,
): ReadonlyArray<NeededTimer> => {
  const status = readWithdrawalDocument(record.document)?.status ?? ""
  const name = nameByStatus[status]
  if (name === undefined || (status === "awaiting" && mode === "live")) return []
  return [{ resourceId, name, shownMillis: 0 }]
}

/** A refund is sent, and then the acquirer is asked about it until it has ended. */
export const timersOfRefund = (resourceId: string, record: Fields): ReadonlyArray<NeededTimer> => {
  const status = readRefundDocument(record.document)?.status
  if (status !== "pending" && status !== "processing") return []
  return [{ resourceId, name: status === "pending" ? refundTimers.send : refundTimers.poll, shownMillis: 0 }]
}

/** The fields of a notice that say whether it needs a timer. */
export const noticeTimerFields = ["signature_valid", "processed_at", "attempts"]

/** A notice with a valid signature is processed until it is done or given up. */
export const timersOfNotice = (resourceId: string, record: Fields): ReadonlyArray<NeededTimer> => {
  const isOver = record.processed_at !== "" || Number(record.attempts ?? 0) >= limits.noticeAttemptsMax
  return record.signature_valid !== "1" || isOver
    ? []
    : [{ resourceId, name: noticeTimerName, shownMillis: 0 }]
}

/** An act on an exception that is under way is carried on; one that awaits a second operator waits for a person. */
export const timersOfException = (
  resourceId: string,
  pending: string | undefined,
): ReadonlyArray<NeededTimer> =>
  isUnderWay(pending) ? [{ resourceId, name: exceptionTimerName, shownMillis: 0 }] : []

/** Whether a stored act is the service's to carry on. */
export const isUnderWay = (pending: string | undefined): boolean =>
  pending !== undefined && /"stage":"going"/.test(pending)

/** A rotated API key ends at its time. */
export const timersOfApiKey = (
  resourceId: string,
  { sellerId, mode }: Feed,
  revokeAt: string | undefined,
): ReadonlyArray<NeededTimer> =>
  revokeAt === undefined || revokeAt === ""
    ? []
    : [{ resourceId, name: revokeTimerName(sellerId, mode), shownMillis: Number(revokeAt) }]

/** A report that somebody is to get is mailed when it is due. */
export const timersOfReport = (resourceId: string, next: string | undefined): ReadonlyArray<NeededTimer> =>
  next ? [{ resourceId, name: reportTimerName, shownMillis: Number(next) }] : []
