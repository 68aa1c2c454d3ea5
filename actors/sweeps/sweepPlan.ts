import { limits } from "../../schema/limits.ts"
import type { BooksWindow } from "../ports/acquirer.ts"
import type { SweepState } from "../ports/sweepStore.ts"

/** A sweep that is due, and whether it is the daily one over 90 days. */
export interface SweepPlan {
  /** When it is planned, by Redis' clock: once it is complete, the books are compared up to here. */
  readonly nowMillis: number
  /** The stretch of the books that it reads, to beyond now: the acquirer's clock may be ahead. */
  readonly window: BooksWindow
  /** The daily one also reads the returns of Pix that came in from here to the window's beginning. */
  readonly returnsFromMillis: number | undefined
  readonly isLong: boolean
}

/** Whether a sweep is due. A request counts unless a sweep that began after it is complete. */
const isDue = ({ beganMillis, wantedMillis }: SweepState, nowMillis: number, intervalMillis: number) =>
  nowMillis - beganMillis >= intervalMillis ||
  (wantedMillis > 0 && wantedMillis >= beganMillis) ||
  // Redis' clock was set back, by a restored backup or a failover.
  nowMillis < beganMillis

/**
 * The sweep that is due at `nowMillis` by Redis' clock, or undefined. It reads from an hour before the end of the last complete
 * one, since lists lag behind; the first, and one a day, from 90 days before now, or from before that if the last is older, and
 * returns of Pix of 120 days (docs/partner.md#sweeps).
 */
export const planSweep = (
  state: SweepState,
  nowMillis: number,
  intervalMillis: number,
): SweepPlan | undefined => {
  const { longBeganMillis, completedToMillis } = state
  const isFirst = completedToMillis === 0
  const isLong =
    isFirst || nowMillis - longBeganMillis >= limits.sweepLongEveryMillis || nowMillis < longBeganMillis
  if (!isLong && !isDue(state, nowMillis, intervalMillis)) return undefined
  const sinceLastMillis = isFirst ? nowMillis : completedToMillis - limits.sweepOverlapMillis
  const fromMillis = Math.min(sinceLastMillis, nowMillis - (isLong ? limits.sweepLongMillis : 0))
  return {
    nowMillis,
    window: { fromMillis, toMillis: nowMillis + limits.acquirerClockAheadMillis },
    returnsFromMillis: isLong ? nowMillis - limits.sweepReturnsMillis : undefined,
    isLong,
  }
}
