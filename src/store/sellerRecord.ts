import type { PostbackSecret, SellerSettings, StoredSeller } from "../../actors/ports/sellerStore.ts"
import { initialSettings, settingNames } from "../../actors/seller/decisions/newSeller.ts"

const optionalText = (text: string | undefined): string | undefined => (text === "" ? undefined : text)
const optionalNumber = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text)

const readSettings = (record: Readonly<Record<string, string>>): SellerSettings => {
  const read = settingNames.map(({ shown, stored }) => {
    const initial = initialSettings[stored]
    const text = record[shown]
    return [stored, typeof initial === "boolean" ? text === "1" : (optionalNumber(text) ?? initial)]
  })
  return Object.fromEntries(read) as SellerSettings
}

/** Reads a seller's hash; undefined if there is none. */
export const readSeller = (id: string, record: Readonly<Record<string, string>>): StoredSeller | undefined =>
  record.status === undefined
    ? undefined
    : {
        id,
        name: record.name ?? "",
        userId: record.user ?? "",
        status: record.status as StoredSeller["status"],
        kycStatus: record.kyc_status as StoredSeller["kycStatus"],
        document: optionalText(record.document),
        legalName: optionalText(record.legal_name),
        payoutLockedUntilMillis: optionalNumber(record.payout_locked_until),
        recoveryLockedUntilMillis: optionalNumber(record.recovery_locked_until),
        settings: readSettings(record),
        ...(record.brand_logo ? { brandLogo: record.brand_logo } : {}),
        ...(record.brand_color ? { brandColor: record.brand_color } : {}),
        ...(record.payer_name ? { payerName: record.payer_name } : {}),
        version: Number(record.version),
        createdAt: record.created_at ?? "",
      }

/** A seller's changeable fields by their names in its hash; an absent value is an empty string. */
export const changeableFields = (
  seller: Omit<StoredSeller, "id" | "userId" | "version" | "createdAt">,
): Readonly<Record<string, string | number>> => ({
  name: seller.name,
  status: seller.status,
  kyc_status: seller.kycStatus,
  document: seller.document ?? "",
  legal_name: seller.legalName ?? "",
  payout_locked_until: seller.payoutLockedUntilMillis ?? "",
  recovery_locked_until: seller.recoveryLockedUntilMillis ?? "",
  brand_logo: seller.brandLogo ?? "",
  brand_color: seller.brandColor ?? "",
  payer_name: seller.payerName ?? "",
  ...Object.fromEntries(
    settingNames.map(({ shown, stored }) => {
      const value = seller.settings[stored]
      return [shown, typeof value === "boolean" ? (value ? "1" : "0") : value]
    }),
  ),
})

/** A postback secret by the names of its fields in its seller's hash. */
export const postbackFields = ({ secret, prefix, rotatedAt }: PostbackSecret) => ({
  postback_secret: secret,
  postback_secret_prefix: prefix,
  postback_rotated_at: rotatedAt,
})
