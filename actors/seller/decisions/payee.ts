import type { StoredSeller } from "../../ports/sellerStore.ts"

/** The names that payers see (docs/contract/sellers.md#what-payers-see). */
export interface Payee {
  /** The display name, or the legal name where that is the same. */
  readonly name: string
  /** The approved legal name, where the display name differs: shown beside it. */
  readonly legalName: string | undefined
}

/** The legal name, once an operator has approved it; undefined before, and where the seller has none. */
export const approvedNameOf = ({
  kycStatus,
  legalName,
}: Pick<StoredSeller, "kycStatus" | "legalName">): string | undefined =>
  kycStatus === "approved" ? legalName : undefined

/** The names that payers see. */
export const payeeOf = (seller: Pick<StoredSeller, "kycStatus" | "legalName" | "name">): Payee => {
  const approved = approvedNameOf(seller)
  return { name: seller.name, legalName: approved === seller.name ? undefined : approved }
}
