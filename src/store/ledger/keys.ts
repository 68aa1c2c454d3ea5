import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Hash: a seller's buckets in a mode, counts of the ledger entries, and the open withdrawal (`open`). */
export const balanceKey = ({ sellerId, mode }: Feed): string =>
  `balance:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Stream: all movements of a seller's money in a mode, never trimmed. */
export const ledgerKey = ({ sellerId, mode }: Feed): string => `ledger:${tagOf(sellerId)}:${sellerId}:${mode}`

/** The key families of balances and ledgers. */
export const ledgerFamilies: KeyFamilies = {
  ofMode: (feed) => [
    family(
      "balance",
      balanceKey(feed),
      "hash",
      `the ${feed.mode} balance in centavos by bucket, the number of its entries, and the open withdrawal`,
    ),
    family("ledger", ledgerKey(feed), "stream", `every movement of the ${feed.mode} balance`),
  ],
}
