import { inert } from "../../../schema/inert.ts"

export { inert, inertLines } from "../../../schema/inert.ts"

const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" })
const integer = new Intl.NumberFormat("en-US")

/** Centavos as Brazil writes them: `R$ 1.234,56`. */
export const money = (centavos: number): string =>
  // The space that does not break is hard to search for.
  currency.format(centavos / 100).replaceAll("\u00a0", " ")

/** A whole number with its thousands apart: `12,345`. */
export const count = (value: number): string => integer.format(value)

/** Hundredths of a percent: `1.25 %`. */
export const percent = (basisPoints: number): string => `${basisPoints / 100} %`

/** Shown where there is no value. */
const none = "-"

/** An ISO time to the second, in UTC as everywhere: `2026-11-21 12:04:00 UTC`. */
export const time = (iso: string | null): string =>
  iso === null ? none : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

/** A value as a person reads it, without anything that a terminal would obey. */
export const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return none
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") return String(value)
  return inert(typeof value === "string" ? value : JSON.stringify(value))
}
