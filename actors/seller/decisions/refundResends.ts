import { limits } from "../../../schema/limits.ts"
import type { PendingAct } from "./exceptionActs.ts"

/** A refund of an exception under way after the acquirer was asked about it: whether it `isKnown` there, undefined where nobody says. */
export const afterAsking = (
  { unknown_since_millis: sinceMillis, ...pending }: PendingAct,
  isKnown: boolean | undefined,
  nowMillis: number,
): PendingAct => {
  if (isKnown === true) return pending
  const unknownSinceMillis = isKnown === false ? (sinceMillis ?? nowMillis) : sinceMillis
  return unknownSinceMillis === undefined ? pending : { ...pending, unknown_since_millis: unknownSinceMillis }
}

/** The same after it was sent again, and refused or not. */
export const afterResending = (
  { refusal: _, ...pending }: PendingAct,
  refusal: string | undefined,
): PendingAct => (refusal === undefined ? pending : { ...pending, refusal })

/**
 * Why a refund of an exception has come to nothing: its last sending was refused, and the acquirer has said for an hour that it never
 * heard of it (docs/contract/exceptions.md#acts). Undefined while it may still be made.
 */
export const refundCameToNothing = (pending: PendingAct, nowMillis: number): string | undefined => {
  const { refusal, unknown_since_millis: sinceMillis } = pending
  const isOver = sinceMillis !== undefined && nowMillis - sinceMillis >= limits.refundUnknownMillisMax
  return isOver ? refusal : undefined
}
