/** The languages of exports, each with its spreadsheets' separators (`docs/contract/statement.md#export`). */
export const csvLocales = ["pt-BR", "en"] as const
export type CsvLocale = (typeof csvLocales)[number]

/** What spreadsheets in Brazil and elsewhere expect between fields and before centavos. */
const separators = { "pt-BR": { field: ";", decimal: "," }, en: { field: ",", decimal: "." } } as const

/** Without it Excel in Brazil reads UTF-8 as the machine's own character set. */
const byteOrderMark = "\uFEFF"

/**
 * A field of CSV (RFC 4180). Spreadsheets run what begins with one of `= + - @`, a tab or a carriage return, also after spaces: an
 * apostrophe before it makes it text.
 */
const field = (text: string): string => {
  const safe = /^[\s\uFEFF]*[=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Centavos as `1234.56`, or `-1234.56`; with another `decimal` in place of the point. */
export const inReais = (centavos: number, decimal: "." | "," = "."): string => {
  const digits = String(Math.abs(centavos)).padStart(3, "0")
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}${decimal}${digits.slice(-2)}`
}

/** A line of CSV, with its end; null is an empty field. */
export const csvLine = (values: ReadonlyArray<string | null>): string =>
  `${values.map((value) => field(value ?? "")).join(",")}\r\n`

/**
 * The same as spreadsheets of a locale open it: `;` and decimal commas in `pt-BR`. Numbers are centavos and become reais; they are not
 * text, so a sign may begin them.
 */
export const localCsvLine = (values: ReadonlyArray<string | number | null>, locale: CsvLocale): string => {
  const { field: between, decimal } = separators[locale]
  const fields = values.map((value) =>
    typeof value === "number" ? inReais(value, decimal) : field(value ?? ""),
  )
  return `${fields.join(between)}\r\n`
}

/** `YYYY-MM-DD` as spreadsheets of a locale read dates. */
export const localCsvDay = (day: string, locale: CsvLocale): string =>
  locale === "en" ? day : day.split("-").toReversed().join("/")

/** The first line of a file: in `pt-BR` with the mark by which Excel knows UTF-8, which programs would take for text. */
export const localCsvHeader = (names: ReadonlyArray<string>, locale: CsvLocale): string =>
  `${locale === "pt-BR" ? byteOrderMark : ""}${localCsvLine(names, locale)}`
