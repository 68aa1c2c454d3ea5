import { Schema } from "effect"
import { contrastWithWhite } from "../colors.ts"
import { limits } from "../limits.ts"
import { isPayerName } from "../payerName.ts"

/** What a PNG file begins with: its signature, and the length and name of its first chunk, whose width and height follow. */
const pngHead = "iVBORw0KGgoAAAANSUhEUg"

/** The bytes that a text in base64 stands for; undefined where it is none. */
const bytesOf = (text: string): Uint8Array | undefined => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Whether a text may be a logo. Width and height are read here, before anybody decodes the picture: 64 KiB may stand for gigabytes. */
const isLogo = (text: string): boolean => {
  if (!text.startsWith(pngHead) || text.length > Math.ceil(limits.logoBytesMax / 3) * 4) return false
  const bytes = bytesOf(text)
  if (bytes === undefined || bytes.length < 33 || bytes.length > limits.logoBytesMax) return false
  const view = new DataView(bytes.buffer)
  return [16, 20].every((at) => view.getUint32(at) >= 1 && view.getUint32(at) <= limits.logoPixelsMax)
}

const Logo = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isLogo(text) ||
      `a PNG in base64 of at most ${limits.logoBytesMax} bytes and ${limits.logoPixelsMax} pixels a side`,
  ),
)

const Color = Schema.String.check(
  Schema.makeFilter((text: string) => {
    if (!/^#[0-9a-f]{6}$/i.test(text)) return "a colour such as #0b6b58"
    const contrast = contrastWithWhite(text)
    if (contrast >= limits.brandContrastMin) return true
    // Rounded down: a contrast that is too low never reads as enough.
    const shown = Math.floor(contrast * 100) / 100
    return `a darker colour: the contrast with white must be at least ${limits.brandContrastMin} to 1, and is ${shown} to 1`
  }),
)

const PayerName = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isPayerName(text) ||
      `${limits.payerNameLengthMin} to ${limits.payerNameLengthMax} Latin letters, digits, single spaces and . , & ' + ! / @ -, beginning with a letter or digit`,
  ),
)

const payerName = Schema.NullOr(PayerName)

/** The smallest picture: one transparent pixel. */
const exampleLogo =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const example = { logo: exampleLogo, color: "#7a3cff", payer_name: "Loja da Ana" }

const face = {
  logo: Schema.NullOr(Logo).annotateKey({
    description: `A PNG in base64, at most ${limits.logoBytesMax} bytes; null without one.`,
  }),
  color: Schema.NullOr(Color).annotateKey({
    description: "Of the buttons, as `#rrggbb`; null for ours.",
  }),
}

/** What payers see of a seller (`docs/contract/sellers.md#brand`). */
export const Brand = Schema.Struct({
  ...face,
  payer_name: payerName.annotateKey({
    description: "The name that payers see; null for the seller's `name`.",
  }),
}).annotate({ identifier: "Brand", examples: [example] })
export type Brand = typeof Brand.Type

/** A brand as it is set. */
export const BrandInput = Schema.Struct({
  ...face,
  payer_name: Schema.optionalKey(payerName).annotateKey({
    description: "The name that payers see; null for the seller's `name`. Absent: stays.",
  }),
}).annotate({ identifier: "BrandInput", examples: [example] })
export type BrandInput = typeof BrandInput.Type
