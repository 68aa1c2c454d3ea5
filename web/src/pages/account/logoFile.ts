import { formLimits } from "../../../../schema/formLimits.ts"
import { pngOf } from "../../ui/pngOf.ts"

/** What a logo may be made from, as file inputs take it. */
export const logoFileTypes = ["image/png", "image/jpeg", "image/webp"] as const

/** How high a picture is drawn, in pixels, until it fits: payment pages show it 40 high, on screens of up to four times the density. */
const heights = [160, 120, 80, 40] as const

/** A PNG's signature and first chunk, which say its width and height, in 32 bits each. */
const headBytes = 33
const sizesAt = [16, 20]

const isWithinLimits = (bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer)
  return (
    bytes.length >= headBytes &&
    bytes.length <= formLimits.logoBytesMax &&
    sizesAt.every((at) => view.getUint32(at) <= formLimits.logoPixelsMax)
  )
}

const drawnAt = async (picture: ImageBitmap, height: number): Promise<Uint8Array> => {
  const scale = Math.min(1, height / picture.height, formLimits.logoPixelsMax / picture.width)
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return new Uint8Array(await (await pngOf(canvas)).arrayBuffer())
}

const asPng = async (file: Blob): Promise<Uint8Array | undefined> => {
  const picture = await createImageBitmap(file)
  try {
    for (const height of heights) {
      const png = await drawnAt(picture, height)
      if (png.length <= formLimits.logoBytesMax) return png
    }
    return undefined
  } finally {
    picture.close()
  }
}

const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

/**
 * A file's picture as the service takes a logo: a PNG in base64. One that is too large, or no PNG, is drawn anew. undefined: the file
 * holds no picture.
 */
export const readLogo = async (file: File): Promise<string | undefined> => {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const png = file.type === "image/png" && isWithinLimits(bytes) ? bytes : await asPng(file)
    return png && base64Of(png)
  } catch {
    return undefined
  }
}
