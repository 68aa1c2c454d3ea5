import { Schema } from "effect"

/** The receiver as the payer's bank shows it: free text, folded to ASCII when the code is built. */
export interface BrCodeMerchant {
  readonly merchantName: string
  readonly merchantCity: string
  /** ISO 18245, four digits; `0000` (not informed) when absent. */
  readonly merchantCategoryCode?: string
}

export interface BrCodeInput extends BrCodeMerchant {
  /** Where the payer's bank fetches the charge: host and path without scheme, 1..77 characters. */
  readonly location: string
}

/** An input that fits no valid BR Code: no code is built. */
export class BrCodeInvalid extends Schema.TaggedError<BrCodeInvalid>()("BrCodeInvalid", {
  field: Schema.Literals(["location", "merchantCategoryCode"]),
  reason: Schema.String,
}) {
  override get message() {
    return `BR Code ${this.field} ${this.reason}`
  }
}

// Field 26 holds at most 99 characters, and its other parts take 22.
const LOCATION_LENGTH_MAX = 77
const MERCHANT_NAME_LENGTH_MAX = 25
const MERCHANT_CITY_LENGTH_MAX = 15
const MERCHANT_NAME_FALLBACK = "RECEBEDOR"
const MERCHANT_CITY_FALLBACK = "BRASIL"
const CATEGORY_NOT_INFORMED = "0000"

const FORMAT_AND_USE_ONCE = field("00", "01") + field("01", "12")
const PIX_DOMAIN = field("00", "br.gov.bcb.pix")
const CURRENCY_AND_COUNTRY_OF_BRAZIL = field("53", "986") + field("58", "BR")
// A dynamic code's txid is found behind its location, not here (BR Code manual of Banco Central do Brasil).
const TXID_ELSEWHERE = field("62", field("05", "***"))
const CRC_ID_AND_LENGTH = "6304"

/** ASCII for characters that Unicode decomposition does not make ASCII; all others are dropped. */
const ASCII_LOOKALIKES = new Map(
  Object.entries({
    ß: "ss",
    Æ: "AE",
    æ: "ae",
    Œ: "OE",
    œ: "oe",
    Ø: "O",
    ø: "o",
    Đ: "D",
    đ: "d",
    Ł: "L",
    ł: "l",
    ı: "i",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "‐": "-",
    "–": "-",
    "—": "-",
  }),
)

const CRC16_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder & 0x8000 ? 0x1021 : 0)
  return remainder
})

/**
 * The payload of a dynamic PIX charge (`pix.payload`): a BR Code of about 160 ASCII characters and at most 203, by EMV
 * QRCPS merchant-presented mode and the BR Code manual of Banco Central do Brasil. Throws BrCodeInvalid
 * (docs/contract/transactions.md#pix-code).
 */
export function buildBrCode({ location, ...merchant }: BrCodeInput): string {
  return makeBrCodeBuilder(merchant)(location)
}

/**
 * `buildBrCode` for one merchant: builds all that does not depend on the charge once.
 * Throws BrCodeInvalid for a bad category code; the function that it returns does so for a bad location.
 */
export function makeBrCodeBuilder(merchant: BrCodeMerchant): (location: string) => string {
  const category = merchant.merchantCategoryCode ?? CATEGORY_NOT_INFORMED
  if (!/^[0-9]{4}$/.test(category)) {
    throw new BrCodeInvalid({ field: "merchantCategoryCode", reason: "must be four digits" })
  }
  const name = toAscii(merchant.merchantName, MERCHANT_NAME_LENGTH_MAX) || MERCHANT_NAME_FALLBACK
  const city = toAscii(merchant.merchantCity, MERCHANT_CITY_LENGTH_MAX) || MERCHANT_CITY_FALLBACK
  const afterLocation =
    field("52", category) +
    CURRENCY_AND_COUNTRY_OF_BRAZIL +
    field("59", name) +
    field("60", city) +
    TXID_ELSEWHERE +
    CRC_ID_AND_LENGTH

  return (location) => {
    refuseBadLocation(location)
    const signed = FORMAT_AND_USE_ONCE + field("26", PIX_DOMAIN + field("25", location)) + afterLocation
    return signed + crc16(signed).toString(16).toUpperCase().padStart(4, "0")
  }
}

/** Whether anything of a name is left in a code: at least one letter or digit. */
export const canName = (name: string): boolean => toAscii(name, MERCHANT_NAME_LENGTH_MAX) !== ""

/**
 * CRC-16/CCITT-FALSE of ASCII text, 0..65535: polynomial 0x1021, start 0xFFFF, nothing reflected (field 63 of
 * EMV QRCPS).
 */
export function crc16(text: string): number {
  let crc = 0xffff
  for (let index = 0; index < text.length; index++) {
    const byte = (crc >> 8) ^ text.charCodeAt(index)
    crc = ((crc << 8) ^ (CRC16_TABLE[byte & 0xff] ?? 0)) & 0xffff
  }
  return crc
}

function field(id: string, value: string): string {
  return (value.length < 10 ? `${id}0` : id) + value.length + value
}

function refuseBadLocation(location: string): void {
  if (location.length > LOCATION_LENGTH_MAX) {
    throw new BrCodeInvalid({
      field: "location",
      reason: `must have at most ${LOCATION_LENGTH_MAX} characters`,
    })
  }
  if (!/^[!-~]+$/.test(location)) {
    throw new BrCodeInvalid({ field: "location", reason: "must be printable ASCII without spaces" })
  }
  if (location.includes("://")) {
    throw new BrCodeInvalid({ field: "location", reason: "must have no scheme" })
  }
}

/** Folds text to ASCII; empty if no letter or digit is left, since such a field names nobody. */
function toAscii(text: string, lengthMax: number): string {
  const folded = text
    // Typed as an apostrophe ("D´Ávila"), but Unicode decomposes it into a space.
    .replaceAll("´", "'")
    .normalize("NFKD")
    .replace(/[^\s!-~]/g, (character) => ASCII_LOOKALIKES.get(character) ?? "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, lengthMax)
    .trimEnd()
  return /[0-9A-Za-z]/.test(folded) ? folded : ""
}
