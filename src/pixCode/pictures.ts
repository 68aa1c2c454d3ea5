import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { encodeQrPngBase64 } from "./qrPng.ts"

/**
 * How many pictures this process remembers: about 1.7 kB each with its payload, 14 MB in all. A charge is rendered several times
 * soon after its creation (answer, stream, deliveries, lists), and a picture takes 27 us to draw.
 */
export const picturesMax = 8_192

const pictures = new LRUCache<string, string>({ max: picturesMax })

/** The picture of a payload (`pix.qr_base64`), drawn or remembered. */
export const pictureOf = (payload: string): string => {
  const known = pictures.get(payload)
  if (known !== undefined) return known
  const picture = encodeQrPngBase64(payload)
  // A copy: a part of a charge's text would keep the whole text in memory.
  pictures.set(Buffer.from(payload).toString(), picture)
  return picture
}

/** All stored charges begin so, and nothing else does. */
const chargeHead = '{"id":"txn_'
const pictureName = '"qr_base64":"'
const payloadName = '"payload":"'
/** Between the payload and its picture. */
const payloadEnd = `",${pictureName}`

/**
 * Where the picture of a stored charge is missing: the index behind the opening quote of its `qr_base64`, or -1. Searched from
 * the end: after `pix` a charge has no free text and no names of a seller's own, and in strings quotes are escaped.
 */
const pictureGap = (data: string): number => {
  if (!data.startsWith(chargeHead)) return -1
  const at = data.lastIndexOf(pictureName)
  if (at < 0) return -1
  const gap = at + pictureName.length
  // Charges of earlier commits were stored with their pictures.
  return data.charCodeAt(gap) === quoteCode ? gap : -1
}
const quoteCode = 0x22

const payloadBefore = (data: string, gap: number): string | undefined => {
  const end = gap - payloadEnd.length
  const start = data.lastIndexOf(payloadName, end)
  if (start < 0 || !data.startsWith(payloadEnd, end)) return undefined
  const text = data.slice(start + payloadName.length, end)
  // A merchant's name may have characters that JSON escapes.
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text
}

/**
 * Adds to `restore` that it puts a charge's QR picture back into its stored JSON, which leaves `qr_base64` empty
 * (docs/decisions/0072-pictures-are-not-stored.md). Every other byte stays as it is.
 */
export const makeRestoreWithPicture = (restore: (data: string) => string) => {
  return (data: string): string => {
    const gap = pictureGap(data)
    const payload = gap < 0 ? undefined : payloadBefore(data, gap)
    if (payload === undefined) return restore(data)
    // The customer's document stands before `pix`.
    return restore(data.slice(0, gap)) + pictureOf(payload) + data.slice(gap)
  }
}

/** A `DocumentCipher` that restores pictures as well as documents. */
export const WithPicturesLive = Layer.effect(
  DocumentCipher,
  Effect.map(DocumentCipher, ({ restore }) => ({ restore: makeRestoreWithPicture(restore) })),
)
