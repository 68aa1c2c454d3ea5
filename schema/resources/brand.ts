import { Schema } from "effect"
import { limits } from "../limits.ts"

/** What a PNG file begins with: its signature, and the length and name of its first chunk, whose width and height follow. */
const pngHead = "iVBORw0KGgoAAAANSUhEUg"

/** The bytes that a text in base64 stands for; undefined where it is none. */
const bytesOf = (text: string): Uint8Array | undefined => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

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
  Schema.makeFilter((text: string) => /^#[0-9a-f]{6}$/i.test(text) || "a colour such as #0b6b58"),
)

/** The smallest picture: one transparent pixel. */
const exampleLogo =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** How a seller's payment pages look (`docs/contract/sellers.md#brand`). */
export const Brand = Schema.Struct({
  logo: Schema.NullOr(Logo).annotateKey({
    description: `A PNG in base64, at most ${limits.logoBytesMax} bytes; null without one.`,
  }),
  color: Schema.NullOr(Color).annotateKey({
    description: "Of the buttons, as `#rrggbb`; null for ours.",
  }),
}).annotate({ identifier: "Brand", examples: [{ logo: exampleLogo, color: "#7a3cff" }] })
export type Brand = typeof Brand.Type
