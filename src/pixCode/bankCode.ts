import { Result } from "effect"
import { crc16 } from "./brCode.ts"

/** The Central Bank's longest `pixCopiaECola`. */
const lengthMax = 512
const crcEnd = /6304[0-9A-Fa-f]{4}$/
const crcDigits = 4

/** The fields of a BR Code or of a template in it, by id; undefined where lengths do not fit or an id comes twice. */
const fieldsOf = (text: string): ReadonlyMap<string, string> | undefined => {
  const fields = new Map<string, string>()
  let at = 0
  while (at < text.length) {
    const [head, id = "", length = ""] = /^(\d\d)(\d\d)/.exec(text.slice(at, at + 4)) ?? []
    const end = at + 4 + Number(length)
    if (head === undefined || fields.has(id) || length === "00" || end > text.length) return undefined
    fields.set(id, text.slice(at + 4, end))
    at = end
  }
  return fields
}

/** Whom a BR Code names as the payee, which payers' banks show before they know better; undefined where it names nobody. */
export const merchantNameOf = (code: string): string | undefined => fieldsOf(code)?.get("59")

/** The template of Pix among the fields for accounts (26 to 51). */
const pixTemplateOf = (fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> | undefined =>
  [...fields]
    .filter(([id]) => id >= "26" && id <= "51")
    .map(([, value]) => fieldsOf(value))
    .find((template) => template?.get("00")?.toLowerCase() === "br.gov.bcb.pix")

const centavosOf = (decimal: string): number | undefined => {
  const [, reais, cents = ""] = /^(\d{1,10})(?:\.(\d{0,2}))?$/.exec(decimal) ?? []
  return reais === undefined ? undefined : Number(reais) * 100 + Number(cents.padEnd(2, "0"))
}

/**
 * The location in a BR Code that a bank made for a charge of `amount` centavos; or why the code must not be shown: its CRC,
 * its form or its amount is wrong (docs/contract/transactions.md#pix-code).
 */
export const readBankCode = (code: string, amount: number): Result.Result<string, string> => {
  if (code.length > lengthMax || !/^[ -~]+$/.test(code)) {
    return Result.fail(`is not ASCII text of at most ${lengthMax} characters`)
  }
  const signed = code.slice(0, -crcDigits)
  const isSigned = crcEnd.test(code) && Number.parseInt(code.slice(-crcDigits), 16) === crc16(signed)
  if (!isSigned) return Result.fail("has a wrong CRC")
  const fields = fieldsOf(code)
  const isBrCode =
    code.startsWith("000201") && fields?.get("53") === "986" && fields.get("58") === "BR" && fields.has("63")
  if (fields === undefined || !isBrCode) return Result.fail("is no BR Code")
  const location = pixTemplateOf(fields)?.get("25")
  if (location === undefined) return Result.fail("names no location")
  const asked = fields.get("54")
  return asked === undefined || centavosOf(asked) === amount
    ? Result.succeed(location)
    : Result.fail("asks for another amount")
}
