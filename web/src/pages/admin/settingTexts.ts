import type { SellerSettings } from "../../../../schema/resources/seller.ts"
import { settings } from "../../../../schema/settings.ts"
import { formatMoney } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { type NumberKind, settingInput } from "./settingsForm.ts"

const texts = textsOf({ "pt-BR": { yes: "sim", no: "não" }, en: { yes: "yes", no: "no" } })

/** A seller's setting in words. */
export const settingName = (name: keyof SellerSettings): string => settings[name].name[language.value]

/** A number of a setting as people read it. */
export const numberText = (kind: NumberKind, value: number): string => {
  if (kind === "money") return formatMoney(value)
  return kind === "percent" ? `${settingInput(kind, value)} %` : String(value)
}

/** A setting's value as people read it. */
export const settingText = (name: keyof SellerSettings, value: number | boolean): string => {
  if (typeof value === "boolean") return value ? texts.value.yes : texts.value.no
  const { kind } = settings[name]
  return numberText(kind === "flag" ? "whole" : kind, value)
}

/** Whether a name is that of a setting. */
const isSetting = (name: string): name is keyof SellerSettings => Object.hasOwn(settings, name)

const isValue = (value: unknown): value is number | boolean =>
  typeof value === "number" || typeof value === "boolean"

/** A setting that an act changed, with what it was before where the entry knows that; undefined where a detail is none. */
export const settingChange = (
  name: string,
  details: Readonly<Record<string, unknown>>,
): readonly [name: string, value: string] | undefined => {
  const value = details[name]
  if (!isSetting(name) || !isValue(value)) return undefined
  const { previous } = details
  const all: Readonly<Record<string, unknown>> =
    typeof previous === "object" && previous !== null ? { ...previous } : {}
  const was = all[name]
  return [
    settingName(name),
    [...(isValue(was) ? [was] : []), value].map((one) => settingText(name, one)).join(" → "),
  ]
}
