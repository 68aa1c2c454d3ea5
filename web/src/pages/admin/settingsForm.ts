import { parseAmount } from "../../../../schema/amountText.ts"
import type { SellerSettings } from "../../../../schema/resources/seller.ts"
import { type FlagName, type NumberName, type SettingName, settings } from "../../../../schema/settings.ts"

const names = Object.keys(settings) as ReadonlyArray<SettingName>
const isFlag = (name: SettingName): name is FlagName => settings[name].kind === "flag"

/** How a number is typed: as money, as a percentage, or as a whole number. */
export type NumberKind = (typeof settings)[NumberName]["kind"]

/** The settings that are numbers, in the order of the form, with the largest value that each takes. */
export const numberSettings: ReadonlyArray<{
  readonly name: NumberName
  readonly kind: NumberKind
  readonly max: number
}> = names.flatMap((name) =>
  isFlag(name) ? [] : [{ name, kind: settings[name].kind, max: settings[name].max }],
)

/** The settings that are true or false. */
export const flagSettings: ReadonlyArray<FlagName> = names.filter(isFlag)

/** Basis points of a percentage as people type it, with up to two decimals; undefined where it is none. */
export const parsePercent = (text: string): number | undefined => {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?%?$/.exec(text.replace(/\s/g, ""))
  return match === null ? undefined : Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"))
}

const parse = (kind: NumberKind, text: string): number | undefined => {
  if (kind === "money") return parseAmount(text)
  if (kind === "percent") return parsePercent(text)
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** A number setting as the form's field shows it, with a comma for decimals. */
export const settingInput = (kind: NumberKind, value: number): string =>
  kind === "whole" ? String(value) : (value / 100).toFixed(2).replace(".", ",")

/** What a filled-in form changes, or the first setting that is no valid number. */
export type SettingsChange =
  | { readonly kind: "changes"; readonly patch: Partial<SellerSettings> }
  | { readonly kind: "invalid"; readonly name: NumberName }

/** Compares a filled-in form with the settings in force. `textOf` gives what a field holds. */
export const settingsChange = (
  current: SellerSettings,
  textOf: (name: NumberName) => string,
  isTicked: (name: FlagName) => boolean,
): SettingsChange => {
  const patch: { -readonly [Name in keyof SellerSettings]?: SellerSettings[Name] } = {}
  for (const { name, kind, max } of numberSettings) {
    const value = parse(kind, textOf(name))
    if (value === undefined || value > max) return { kind: "invalid", name }
    if (value !== current[name]) patch[name] = value
  }
  for (const name of flagSettings) if (isTicked(name) !== current[name]) patch[name] = isTicked(name)
  return { kind: "changes", patch }
}
