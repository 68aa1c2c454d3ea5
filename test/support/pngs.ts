import { crc32 } from "node:zlib"
import { PNG } from "pngjs"

const chunkOf = (name: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}

/** How many bytes a PNG's signature and its chunk IHDR take: what is put in here stands between IHDR and the pixels. */
const headBytes = 33

/** A PNG with a further chunk, of which no reader needs to know. */
export const withChunk = (png: Buffer, name: string, data: Uint8Array): Buffer =>
  Buffer.concat([png.subarray(0, headBytes), chunkOf(name, data), png.subarray(headBytes)])

/** A PNG of so many bytes, most of which are a comment. */
export const pngOfBytes = (bytes: number): Buffer => {
  const png = PNG.sync.write(new PNG({ width: 8, height: 8 }))
  return withChunk(png, "tEXt", Buffer.alloc(bytes - png.length - 12, "x"))
}

/** The names of a PNG's chunks, and how many bytes follow the last. */
export const chunksOf = (png: Buffer): { readonly names: ReadonlyArray<string>; readonly rest: number } => {
  const names: Array<string> = []
  let at = 8
  while (at < png.length && names.at(-1) !== "IEND") {
    names.push(png.toString("latin1", at + 4, at + 8))
    at += 12 + png.readUInt32BE(at)
  }
  return { names, rest: png.length - at }
}

/** A picture whose every pixel is drawn by a function: red, green, blue and opacity, from 0 to 255. */
export const drawn = (
  width: number,
  height: number,
  pixel: (x: number, y: number) => ReadonlyArray<number>,
): Buffer => {
  const image = new PNG({ width, height })
  for (let at = 0; at < width * height; at++) {
    image.data.set(pixel(at % width, Math.floor(at / width)), at * 4)
  }
  return PNG.sync.write(image)
}
