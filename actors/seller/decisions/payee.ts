import type { StoredSeller } from "../../ports/sellerStore.ts"

/** The names that payers see (docs/contract/sellers.md#what-payers-see). */
export interface Payee {
  /** The name that the seller chose for payers, or else its display name. */
  readonly name: string
  /** The approved legal name, where that name differs: shown beside it. */
  readonly legalName: string | undefined
}

/** The legal name, once an operator has approved it; undefined before, and where the seller has none. */
export const approvedNameOf = ({
  kycStatus,
  legalName,
}: Pick<StoredSeller, "kycStatus" | "legalName">): string | undefined =>
  kycStatus === "approved" ? legalName : undefined

/**
 * The payee as a receipt names it (docs/contract/receipts.md#the-payee): by the approved legal name, or the account's own before there
 * is one. The brand's name does not change it.
 */
export const receiptPayeeOf = (seller: Pick<StoredSeller, "kycStatus" | "legalName" | "name">): string =>
  approvedNameOf(seller) ?? seller.name

/** The names that payers see. */
export const payeeOf = (
  seller: Pick<StoredSeller, "kycStatus" | "legalName" | "name" | "payerName">,
): Payee => {
  const approved = approvedNameOf(seller)
  const name = seller.payerName ?? seller.name
  return { name, legalName: approved === name ? undefined : approved }
}
