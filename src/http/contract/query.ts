import { type ApiError, validationFailed } from "../../../schema/errors.ts"

/** Percent-decodes a text; undefined if the encoding is broken. (`+` means a space in query strings only.) */
export const percentDecode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const decodePart = (text: string): string | undefined =>
  percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text)

const brokenEncoding = (param: string | undefined): ApiError =>
  validationFailed(
    param,
    `${param ?? "The query string"} has a broken percent-encoding. Encode it as UTF-8, a percent sign as %25.`,
  )

/**
 * Reads the parameters in `names` from a query string and ignores others. 400 `validation_failed` for broken
 * percent-encoding anywhere and for repeated parameters: we do not guess which of two filters was meant.
 */
export const parseQuery = (raw: string, names: ReadonlySet<string>): Record<string, string> | ApiError => {
  const values: Record<string, string> = {}
  for (const part of raw.split("&")) {
    if (part === "") continue
    const equals = part.indexOf("=")
    const name = decodePart(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined) return brokenEncoding(undefined)
    const known = names.has(name)
    const value = equals < 0 ? "" : decodePart(part.slice(equals + 1))
    if (value === undefined) return brokenEncoding(known ? name : undefined)
    if (!known) continue
    if (Object.hasOwn(values, name)) {
      return validationFailed(name, `${name} was given more than once. Send it once.`)
    }
    values[name] = value
  }
  return values
}
