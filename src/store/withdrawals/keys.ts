import { type Feed, type Mode, modes } from "../../../schema/ids.ts"
import { withdrawalStatuses } from "../../../schema/resources/withdrawal.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

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

/** The key families of withdrawals. */
export const withdrawalFamilies: KeyFamilies = {
  ofMode: (feed) => {
    const { sellerId, mode } = feed
    return [
      family("withdrawals", withdrawalsKey(sellerId, mode), "set by id", `ids of all ${mode} withdrawals`),
      ...withdrawalStatuses.map((status) =>
        family(
          "withdrawals",
          withdrawalsKey(sellerId, mode, status),
          "set by id",
          `ids of the ${status} ${mode} withdrawals`,
        ),
      ),
      family(
        "withdrawal day",
        withdrawalDayKey(feed, "*"),
        "hash",
        `sum and count of the ${mode} withdrawals of one day, for the daily limits`,
      ),
    ]
  },
  ofPartition: (partition, whose) => [
    family(
      "withdrawal",
      patternOf("wd_", partition, withdrawalKey),
      "hash",
      `one withdrawal of a seller of ${whose}`,
    ),
    ...modes.flatMap((mode) =>
      withdrawalStatuses.map((status) =>
        family(
          "withdrawals of all sellers",
          partitionWithdrawalsKey(partitionTag(partition), mode, status),
          "set by id",
          `ids of the ${status} ${mode} withdrawals of ${whose}`,
        ),
      ),
    ),
  ],
}
