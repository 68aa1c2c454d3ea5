import type { Mode } from "../../../schema/ids.ts"
import type { Acquirers } from "../../ports/acquirer.ts"

/** The acquirer account that is stored with a new charge or withdrawal; in test no acquirer is ever asked. */
export const accountFor = (mode: Mode, acquirers: Acquirers["Service"]): { readonly account?: string } =>
  mode === "live" ? { account: acquirers.live.account } : {}

/** The part of a stored charge or withdrawal that names its acquirer account. */
interface OfAccount {
  readonly id: string
  readonly mode: Mode
  readonly account?: string
}

/**
 * Why the configured acquirer may not be asked about a charge or withdrawal, nor be sent it: it was made with another
 * account (docs/partner.md#rules-of-money). Undefined where it may. In test mode there is no account.
 */
export const otherAccountReason = (
  stored: OfAccount,
  acquirers: Acquirers["Service"],
): string | undefined => {
  const configured = acquirers[stored.mode].account
  if (stored.account === undefined || stored.account === configured) return undefined
  return `${stored.id} was made with the acquirer account ${stored.account}, and ${configured} is configured`
}

/** The slug of the acquirer that a charge, withdrawal or refund belongs to: an account's name begins with it. */
export const acquirerSlugOf = (
  { mode, account }: Omit<OfAccount, "id">,
  acquirers: Acquirers["Service"],
): string => account?.split(":")[0] ?? acquirers[mode].slug
