import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies, type KeyFamily } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Hash: a seller's buckets in a mode, counts of the ledger entries, and the open withdrawal (`open`). */
export const balanceKey = ({ sellerId, mode }: Feed): string =>
  `balance:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Stream: all movements of a seller's money in a mode; in live never trimmed, in test from its base on. */
export const ledgerKey = ({ sellerId, mode }: Feed): string => `ledger:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: the sums of the entries that were deleted from the old end of a test ledger, and the last of them. */
export const ledgerBaseKey = ({ sellerId, mode }: Feed): string =>
  `ledger-base:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Sorted set: ids of deleted resources that entries may still name, by the ledger's newest entry (ms) at their deletion. */
export const ledgerDeletedKey = ({ sellerId, mode }: Feed): string =>
  `ledger-deleted:${tagOf(sellerId)}:${sellerId}:${mode}`

const baseFamilies = (feed: Feed): ReadonlyArray<KeyFamily> => [
  family("ledger base", ledgerBaseKey(feed), "hash", "the sums of the test ledger's deleted entries"),
  family(
    "deleted resources",
    ledgerDeletedKey(feed),
    "set by time",
    "ids of deleted resources that the test ledger may still name",
  ),
]

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
    ...(feed.mode === "live" ? [] : baseFamilies(feed)),
  ],
}
