import type { Feed, Mode } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"

/** Hash: a withdrawal. */
export const withdrawalKey = (id: string): string => `wd:${tagOf(id)}:${id}`

/** Sorted set, all scores 0: a seller's withdrawal ids, sorted by age; one for all and one a status. */
export const withdrawalsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `wds:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Sorted set, all scores 0: a partition's withdrawals in a status, of all sellers. Operators list them. */
export const partitionWithdrawalsKey = (tag: string, mode: Mode, status: string): string =>
  `wds-all:${tag}:${mode}:${status}`

/** Hash: the totals of a day's withdrawals (`value`, `count`). */
export const withdrawalDayKey = ({ sellerId, mode }: Feed, day: string): string =>
  `wd-day:${tagOf(sellerId)}:${sellerId}:${mode}:${day}`
