import type { Feed } from "../../../schema/ids.ts"
import { tagOf } from "../tags.ts"

/** Hash: a seller's buckets in a mode, counts of the ledger entries, and the open withdrawal (`open`). */
export const balanceKey = ({ sellerId, mode }: Feed): string =>
  `balance:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Stream: all movements of a seller's money in a mode, never trimmed. */
export const ledgerKey = ({ sellerId, mode }: Feed): string => `ledger:${tagOf(sellerId)}:${sellerId}:${mode}`
