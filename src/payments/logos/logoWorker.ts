// Runs in the thread that decodes logos: it takes tens of ms, and a crafted picture can make it allocate 66 MB for a moment.
import { PNG } from "pngjs"

const signatureBytes = 8
/** Length, name and checksum of a chunk, around its data. */
const chunkFrameBytes = 12

/** The file as far as its chunk IEND: what follows is no part of the picture. */
const withoutRest = (file: Buffer): Buffer => {
  for (let at = signatureBytes; at + chunkFrameBytes <= file.length; ) {
    const end = at + chunkFrameBytes + file.readUInt32BE(at)
    if (file.toString("latin1", at + 4, at + 8) === "IEND") return file.subarray(0, end)
    at = end
  }
  return file
}

/** The smallest form of pixels that `pngjs` writes: without alpha where all are opaque, and grey where all are. */
const smallestFormOf = (pixels: Buffer): 0 | 2 | 4 | 6 => {
  let isOpaque = true
  let isGrey = true
  for (let at = 0; at < pixels.length; at += 4) {
    isOpaque &&= pixels[at + 3] === 255
    isGrey &&= pixels[at] === pixels[at + 1] && pixels[at] === pixels[at + 2]
  }
  if (isGrey) return isOpaque ? 0 : 4
  return isOpaque ? 2 : 6
}

/** Without a filter, flat colours compress better; with the best filter of each line, photographs do. */
const filters = [0, -1]

/**
 * A PNG of the same pixels and nothing else: no text, profile, further picture or byte after its end survives. Undefined where the
 * file is no whole PNG.
 */
export default (file: Uint8Array): Uint8Array | undefined => {
  const picture = decoded(withoutRest(Buffer.from(file)))
  if (picture === undefined) return undefined
  // A gamma would be written as a chunk, and moved into the next picture.
  picture.gamma = 0
  const colorType = smallestFormOf(picture.data)
  const written = filters.map((filterType) =>
    PNG.sync.write(picture, { colorType, filterType, deflateStrategy: 0 }),
  )
  return written.reduce((best, other) => (other.length < best.length ? other : best))
}

const decoded = (file: Buffer): PNG | undefined => {
  try {
    return PNG.sync.read(file)
  } catch {
    return undefined
  }
}
