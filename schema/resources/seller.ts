import { Schema, Struct } from "effect"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { kycStatuses, sellerStatuses } from "../names.ts"
import { type FlagName, type SettingName, settings } from "../settings.ts"

export { type KycStatus, kycStatuses, type SellerStatus, sellerStatuses } from "../names.ts"

const fieldOf = (name: SettingName) => {
  const setting = settings[name]
  const field =
    setting.kind === "flag"
      ? Schema.Boolean
      : Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: setting.max }))
  return field.annotateKey({ description: setting.description })
}

/** The same of each setting, by its name. */
const eachSetting = <A>(of: (name: SettingName) => A) =>
  Object.fromEntries((Object.keys(settings) as ReadonlyArray<SettingName>).map((name) => [name, of(name)]))

/** Settings of a seller; amounts in centavos (`docs/contract/sellers.md#settings`). */
export const SellerSettings = Schema.Struct(
  eachSetting(fieldOf) as {
    readonly [Name in SettingName]: Name extends FlagName ? typeof Schema.Boolean : typeof Schema.Int
  },
).annotate({ identifier: "SellerSettings" })
export type SellerSettings = typeof SellerSettings.Type

/** The settings of a new seller. */
export const defaultSellerSettings = eachSetting((name) => settings[name].default) as SellerSettings

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
  payer_name: "Loja da Ana",
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
  payer_name: Schema.optionalKey(Schema.String).annotateKey({
    description: "The name that payers see instead of `name`; absent where the seller has chosen none.",
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
