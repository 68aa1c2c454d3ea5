import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import type { StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { shownSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { maskedDocument } from "../../../schema/chargeTexts.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"

/** Until when withdrawals are locked, by operators or by a 2FA recovery, whichever ends later; null if not. */
const lockedUntil = (seller: StoredSeller, nowMillis: number): string | null => {
  const untilMillis = Math.max(seller.payoutLockedUntilMillis ?? 0, seller.recoveryLockedUntilMillis ?? 0)
  return untilMillis > nowMillis ? new Date(untilMillis).toISOString() : null
}

/**
 * The seller profile of routes and events (docs/contract/sellers.md#profile). Its document is masked, and null if the
 * ciphertext does not open under this `ENCRYPTION_KEY`.
 */
export const sellerProfile = (
  seller: StoredSeller,
  opener: SecretOpener["Service"],
  nowMillis: number,
): SellerProfile => {
  const document =
    seller.document === undefined
      ? undefined
      : opener.open(seller.document, sealedPlaces.sellerDocument(seller.id))
  return {
    id: seller.id,
    object: "seller",
    name: seller.name,
    ...(seller.legalName === undefined ? {} : { legal_name: seller.legalName }),
    ...(seller.payerName === undefined ? {} : { payer_name: seller.payerName }),
    document: document === undefined ? null : maskedDocument(document),
    status: seller.status,
    kyc_status: seller.kycStatus,
    payout_locked_until: lockedUntil(seller, nowMillis),
    settings: shownSettings(seller.settings),
    created_at: seller.createdAt,
  }
}
