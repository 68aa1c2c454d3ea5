import { limits } from "../../schema/limits.ts"
import type { BooksWindow } from "../ports/acquirer.ts"
import type { SweepState } from "../ports/sweepStore.ts"

/** A sweep that is due: the stretch of the books it reads, and whether that is the daily one over 90 days. */
export interface SweepPlan {
  readonly window: BooksWindow
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
 * one, since lists lag behind; the first, and one a day, from 90 days before now, or from before that if the last is older.
 */
export const planSweep = (
  state: SweepState,
  nowMillis: number,
  intervalMillis: number,
): SweepPlan | undefined => {
  const { longBeganMillis, completedToMillis } = state
  const isLong = nowMillis - longBeganMillis >= limits.sweepLongEveryMillis || nowMillis < longBeganMillis
  if (!isLong && !isDue(state, nowMillis, intervalMillis)) return undefined
  const longAgoMillis = nowMillis - limits.sweepLongMillis
  const sinceLastMillis = completedToMillis - limits.sweepOverlapMillis
  const isFirst = completedToMillis === 0
  const fromMillis = isFirst ? longAgoMillis : Math.min(sinceLastMillis, isLong ? longAgoMillis : nowMillis)
  return { window: { fromMillis, toMillis: nowMillis }, isLong: isLong || isFirst }
}
