import type { SellerSettings } from "../../../../schema/resources/seller.ts"
import { parseAmount } from "../../text/amount.ts"

/** How a setting is typed: as money, as a percentage, or as a whole number. */
export type SettingKind = "money" | "percent" | "whole"

type NumberSetting = Exclude<keyof SellerSettings, "withdrawal_auto_approval">

/** The settings that are numbers, in the order of the form, with the largest value that each takes. */
export const numberSettings: ReadonlyArray<{
  readonly name: NumberSetting
  readonly kind: SettingKind
  readonly max: number
}> = [
  { name: "charge_fee_bps", kind: "percent", max: 10_000 },
  { name: "charge_fee_fixed", kind: "money", max: 999_999_999_999 },
  { name: "reserve_bps", kind: "percent", max: 10_000 },
  { name: "reserve_days", kind: "whole", max: 365 },
  { name: "withdrawal_fee", kind: "money", max: 999_999_999_999 },
  { name: "withdrawal_daily_value", kind: "money", max: 999_999_999_999 },
  { name: "withdrawal_daily_count", kind: "whole", max: 20 },
]

/** Basis points of a percentage as people type it, with up to two decimals; undefined where it is none. */
export const parsePercent = (text: string): number | undefined => {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?%?$/.exec(text.replace(/\s/g, ""))
  return match === null ? undefined : Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"))
}

const parse = (kind: SettingKind, text: string): number | undefined => {
  if (kind === "money") return parseAmount(text)
  if (kind === "percent") return parsePercent(text)
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** A number setting as the form's field shows it, with a comma for decimals. */
export const settingInput = (kind: SettingKind, value: number): string =>
  kind === "whole" ? String(value) : (value / 100).toFixed(2).replace(".", ",")

/** What a filled-in form changes, or the first setting that is no valid number. */
export type SettingsChange =
  | { readonly kind: "changes"; readonly patch: Partial<SellerSettings> }
  | { readonly kind: "invalid"; readonly name: NumberSetting }

/** Compares a filled-in form with the settings in force. `textOf` gives what a field holds. */
export const settingsChange = (
  current: SellerSettings,
  textOf: (name: NumberSetting) => string,
  isAutoApproval: boolean,
): SettingsChange => {
  const patch: { -readonly [Name in keyof SellerSettings]?: SellerSettings[Name] } = {}
  for (const { name, kind, max } of numberSettings) {
    const value = parse(kind, textOf(name))
    if (value === undefined || value > max) return { kind: "invalid", name }
    if (value !== current[name]) patch[name] = value
  }
  if (isAutoApproval !== current.withdrawal_auto_approval) patch.withdrawal_auto_approval = isAutoApproval
  return { kind: "changes", patch }
}
