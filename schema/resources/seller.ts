import { Schema, Struct } from "effect"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { limits } from "../limits.ts"

/** Whether a seller may operate (`docs/contract/sellers.md#status`). */
export const sellerStatuses = ["active", "suspended"] as const
export type SellerStatus = (typeof sellerStatuses)[number]
/** The state of a seller's identification (`docs/contract/sellers.md#kyc`). */
export const kycStatuses = ["none", "pending", "approved", "rejected"] as const
export type KycStatus = (typeof kycStatuses)[number]

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const settingFields = {
  charge_fee_bps: integer(0, limits.basisPointsMax).annotateKey({
    description: "Hundredths of a percent of a charge's amount.",
  }),
  charge_fee_fixed: integer(0, limits.amountMax).annotateKey({ description: "Centavos per charge." }),
  reserve_bps: integer(0, limits.basisPointsMax).annotateKey({
    description: "Hundredths of a percent of a charge's net amount.",
  }),
  reserve_days: integer(0, limits.reserveDaysMax).annotateKey({
    description: "Days that a paid charge's reserve is held.",
  }),
  withdrawal_fee: integer(0, limits.amountMax).annotateKey({ description: "Centavos per withdrawal." }),
  withdrawal_daily_value: integer(0, limits.amountMax).annotateKey({ description: "Centavos per day." }),
  withdrawal_daily_count: integer(0, limits.withdrawalsPerDayMax).annotateKey({
    description: "Withdrawals per day.",
  }),
  withdrawal_auto_approval: Schema.Boolean.annotateKey({
    description: "Whether withdrawals are approved without an operator.",
  }),
}

/** Settings of a seller; amounts in centavos (`docs/contract/sellers.md#settings`). */
export const SellerSettings = Schema.Struct(settingFields).annotate({ identifier: "SellerSettings" })
export type SellerSettings = typeof SellerSettings.Type

/** The settings of a new seller. */
export const defaultSellerSettings: SellerSettings = {
  charge_fee_bps: 0,
  charge_fee_fixed: 0,
  reserve_bps: 0,
  reserve_days: 0,
  withdrawal_fee: 100,
  withdrawal_daily_value: 5_000_000,
  withdrawal_daily_count: 20,
  withdrawal_auto_approval: false,
}

/** A change of some settings. */
export const SellerSettingsPatch = SellerSettings.mapFields(Struct.map(Schema.optionalKey)).annotate({
  identifier: "SellerSettingsPatch",
  examples: [{ charge_fee_bps: 99, reserve_bps: 500, reserve_days: 30 }],
})
export type SellerSettingsPatch = typeof SellerSettingsPatch.Type

/** An example of the profile. */
export const exampleSellerProfile = {
  id: "sel_01KA0000000700000000000000",
  object: "seller",
  name: "Loja da Ana",
  legal_name: "Ana Souza Comércio Ltda",
  document: "***.982.247-**",
  status: "active",
  kyc_status: "approved",
  payout_locked_until: null,
  settings: defaultSellerSettings,
  created_at: "2026-11-01T12:00:00.000Z",
} as const

/** The seller profile, as its routes and `seller.*` events carry it; the document is always masked. */
export const SellerProfile = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The seller's id." }),
  object: Schema.Literal("seller").annotateKey({ description: "The kind of resource." }),
  name: Schema.String.annotateKey({ description: "The store's name." }),
  legal_name: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The name that the document belongs to; absent before one was submitted. Payers see it once `kyc_status` is `approved`.",
  }),
  document: textOrNull.annotateKey({ description: "Masked." }),
  status: Schema.Literals(sellerStatuses).annotateKey({
    description: "A `suspended` seller can read, but neither charge nor withdraw.",
  }),
  kyc_status: Schema.Literals(kycStatuses).annotateKey({
    description: "The state of its identification; live needs `approved`.",
  }),
  payout_locked_until: timestampOrNull.annotateKey({
    description: "Until when it cannot withdraw; null if it can.",
  }),
  settings: SellerSettings.annotateKey({ description: "Fees and limits." }),
  created_at: timestamp.annotateKey({ description: "When it was created." }),
}).annotate({ identifier: "Seller", examples: [exampleSellerProfile] })
export type SellerProfile = typeof SellerProfile.Type
