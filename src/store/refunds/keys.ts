import type { Mode } from "../../../schema/ids.ts"
import { refundStatuses } from "../../../schema/resources/refund.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: a refund. */
export const refundKey = (id: string): string => refundPrefix(tagOf(id)) + id

/** The prefix of `refundKey`, for functions that build its names. */
export const refundPrefix = (tag: string): string => `rfd:${tag}:`

/** Sorted set, all scores 0: a seller's refund ids, sorted by age; one for all and one a status. */
export const refundsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `rfds:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Sorted set, all scores 0: the ids of a charge's refunds, sorted by age. */
export const refundsOfKey = (transactionId: string): string =>
  `rfds-of:${tagOf(transactionId)}:${transactionId}`

/** Sorted set by time: a partition's live refunds that are processing for long, by since when. */
export const stuckRefundsKey = (tag: string): string => `stuck-refunds:${tag}`

/** The key families of refunds. */
export const refundFamilies: KeyFamilies = {
  ofMode: ({ sellerId, mode }) => [
    family("refunds", refundsKey(sellerId, mode), "set by id", `ids of all ${mode} refunds`),
    ...refundStatuses.map((status) =>
      family(
        "refunds",
        refundsKey(sellerId, mode, status),
        "set by id",
        `ids of the ${status} ${mode} refunds`,
      ),
    ),
  ],
  ofPartition: (partition, whose) => [
    family("refund", patternOf("rfd_", partition, refundKey), "hash", `one refund of a seller of ${whose}`),
    family(
      "stuck refunds",
      stuckRefundsKey(partitionTag(partition)),
      "set by time",
      `live refunds of ${whose} that are processing for long, by since when (ms)`,
    ),
    family(
      "refunds of a transaction",
      patternOf("txn_", partition, refundsOfKey),
      "set by id",
      `ids of the refunds of one transaction of ${whose}`,
    ),
  ],
}
