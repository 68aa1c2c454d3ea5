import type { Mode } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"

/** Hash: a charge. */
export const transactionKey = (id: string): string => transactionPrefix(tagOf(id)) + id

/** The prefix of `transactionKey`, for functions that build its names. */
export const transactionPrefix = (tag: string): string => `txn:${tag}:`

/** Sorted set, all scores 0: a seller's charge ids, sorted by age; one for all and one a status. */
export const transactionsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `txns:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`
