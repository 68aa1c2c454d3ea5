import type { FindGap } from "../../actors/values/gaps.ts"
import { chargeIdIn } from "../../actors/values/storedCharge.ts"

const pictureName = '"qr_base64":"'
const payloadName = '"payload":"'
/** Between the payload and its picture. */
const payloadEnd = `",${pictureName}`

/**
 * Where the picture of a stored charge is missing: the index behind the opening quote of its `qr_base64`, or -1. Searched from
 * the end: after `pix` a charge has no free text and no names of a seller's own, and in strings quotes are escaped.
 */
const pictureGap = (data: string): number => {
  const at = data.lastIndexOf(pictureName)
  if (at < 0) return -1
  const gap = at + pictureName.length
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
 * Finds the missing QR picture of a charge's stored JSON, which leaves `qr_base64` empty
 * (docs/decisions/0072-pictures-are-not-stored.md). `pictureOf` returns that of a payload.
 */
export const makeFindPicture =
  (pictureOf: (payload: string) => string): FindGap =>
  (stored) => {
    if (chargeIdIn(stored) === undefined) return undefined
    const gap = pictureGap(stored)
    const payload = gap < 0 ? undefined : payloadBefore(stored, gap)
    return payload === undefined ? undefined : { start: gap, end: gap, text: pictureOf(payload) }
  }
