import { family, type KeyFamilies } from "../keyFamily.ts"

/**
 * Hash: the sweeps of an acquirer account's books. All accounts share a slot, so that with a cluster the clock of one node dates
 * them all.
 */
export const sweepKey = (account: string): string => `sweep:{sweeps}:${account}`

/** Set: the accounts that were ever swept. */
export const sweepAccountsKey = "sweep-accounts:{sweeps}"

/** Hash: digest -> an item of an account's books that the last sweep could not read (docs/partner.md#unreadable-items). */
export const unreadKey = (account: string): string => `sweep-unread:{sweeps}:${account}`

/** Hash: key of an item -> an item of the lists that its query does not confirm (docs/partner.md#unconfirmed-items). */
export const unconfirmedKey = (account: string): string => `sweep-unconfirmed:{sweeps}:${account}`

/** Hash: digest -> an item that an operator lets sweeps pass over. */
export const acceptedKey = (account: string): string => `sweep-accepted:{sweeps}:${account}`

/** The key families of sweeps. */
export const sweepFamilies: KeyFamilies = {
  ofService: () => [
    family("sweep", sweepKey("*"), "hash", "the sweeps of an acquirer account's books, and who runs them"),
    family("sweep-accounts", sweepAccountsKey, "set", "acquirer accounts that were ever swept"),
    family("sweep-unread", unreadKey("*"), "hash", "items of the books that the last sweep could not read"),
    family("sweep-unconfirmed", unconfirmedKey("*"), "hash", "items of the lists that no query confirms yet"),
    family("sweep-accepted", acceptedKey("*"), "hash", "items that an operator lets sweeps pass over"),
  ],
}
