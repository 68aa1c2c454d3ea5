import { Schema } from "effect"
import { limits } from "../limits.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** Whether a seller may operate (decisions 3). */
export const sellerStatuses = ["active", "suspended"] as const
export type SellerStatus = (typeof sellerStatuses)[number]
/** How far a seller's identification has come (spec 2, counters). */
export const kycStatuses = ["none", "pending", "approved", "rejected"] as const
export type KycStatus = (typeof kycStatuses)[number]

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const settingFields = {
  charge_fee_bps: integer(0, limits.basisPointsMax),
  charge_fee_fixed: integer(0, limits.amountMax),
  reserve_bps: integer(0, limits.basisPointsMax),
  reserve_days: integer(0, limits.reserveDaysMax),
  withdrawal_fee: integer(0, limits.amountMax),
  withdrawal_daily_value: integer(0, limits.amountMax),
  withdrawal_daily_count: integer(0, limits.withdrawalsPerDayMax),
  withdrawal_auto_approval: Schema.Boolean,
}

/** Per-seller settings (decisions 3); amounts in centavos. */
export const SellerSettings = Schema.Struct(settingFields).annotate({ identifier: "SellerSettings" })
export type SellerSettings = typeof SellerSettings.Type

/** The settings of a seller that nobody changed (decisions 3). */
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

/** A change of some of them. */
export const SellerSettingsPatch = Schema.Struct({
  charge_fee_bps: Schema.optionalKey(settingFields.charge_fee_bps),
  charge_fee_fixed: Schema.optionalKey(settingFields.charge_fee_fixed),
  reserve_bps: Schema.optionalKey(settingFields.reserve_bps),
  reserve_days: Schema.optionalKey(settingFields.reserve_days),
  withdrawal_fee: Schema.optionalKey(settingFields.withdrawal_fee),
  withdrawal_daily_value: Schema.optionalKey(settingFields.withdrawal_daily_value),
  withdrawal_daily_count: Schema.optionalKey(settingFields.withdrawal_daily_count),
  withdrawal_auto_approval: Schema.optionalKey(settingFields.withdrawal_auto_approval),
}).annotate({ identifier: "SellerSettingsPatch" })
export type SellerSettingsPatch = typeof SellerSettingsPatch.Type

/** The seller profile, as its routes and `seller.*` events carry it (decisions 4); the document always masked. */
export const SellerProfile = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("seller"),
  name: Schema.String,
  document: Schema.NullOr(Schema.String),
  status: Schema.Literals(sellerStatuses),
  kyc_status: Schema.Literals(kycStatuses),
  payout_locked_until: Schema.NullOr(timestamp),
  settings: SellerSettings,
  created_at: timestamp,
}).annotate({ identifier: "Seller" })
export type SellerProfile = typeof SellerProfile.Type
