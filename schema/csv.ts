/**
 * A field of CSV (RFC 4180). Spreadsheets run what begins with one of `= + - @`, a tab or a carriage return, also after spaces: an
 * apostrophe before it makes it text.
 */
const field = (text: string): string => {
  const safe = /^[\s\uFEFF]*[=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of CSV, with its end; null is an empty field. */
export const csvLine = (values: ReadonlyArray<string | null>): string =>
  `${values.map((value) => field(value ?? "")).join(",")}\r\n`
