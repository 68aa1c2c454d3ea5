import { type ApiError, validationFailed } from "../../../schema/errors.ts"

/** Percent-decodes; `+` stands for a space in query strings only. Undefined where the encoding is broken. */
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
 * Reads a query string: the parameters in `names`, decoded; others are ignored (decisions 1 treats bodies alike).
 * 400 `validation_failed` for a broken percent-encoding anywhere, and for a parameter given more than once: which of
 * two filters was meant is not ours to guess.
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
