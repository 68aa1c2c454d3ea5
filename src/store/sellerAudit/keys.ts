import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Stream: what was done to a seller's account (docs/contract/audit-log.md). */
export const sellerAuditKey = (sellerId: string): string => `seller-audit:${tagOf(sellerId)}:${sellerId}`

/** The key family of sellers' audit logs. */
export const sellerAuditFamilies: KeyFamilies = {
  ofSeller: (sellerId) => [
    family("audit log", sellerAuditKey(sellerId), "stream", "what was done to its account, by whom"),
  ],
}
