import type { Mode } from "../../../schema/ids.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Hash: a charge. */
export const transactionKey = (id: string): string => transactionPrefix(tagOf(id)) + id

/** The prefix of `transactionKey`, for functions that build its names. */
export const transactionPrefix = (tag: string): string => `txn:${tag}:`

/** Sorted set, all scores 0: a seller's charge ids, sorted by age; one for all and one a status. */
export const transactionsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `txns:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** The key families of charges. */
export const transactionFamilies: KeyFamilies = {
  ofMode: ({ sellerId, mode }) => [
    family("transactions", transactionsKey(sellerId, mode), "set by id", `ids of all ${mode} transactions`),
    ...transactionStatuses.map((status) =>
      family(
        "transactions",
        transactionsKey(sellerId, mode, status),
        "set by id",
        `ids of the ${status} ${mode} transactions`,
      ),
    ),
  ],
  ofPartition: (partition, whose) => [
    family(
      "transaction",
      patternOf("txn_", partition, transactionKey),
      "hash",
      `one transaction of a seller of ${whose}`,
    ),
  ],
}
