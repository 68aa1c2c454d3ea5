import { encodeQR } from "qr"
import { type ParityTable, parityTableOf, putParity } from "./reedSolomon.ts"

/** A QR code's modules without its quiet zone, eight to a byte. */
export interface QrSymbol {
  /** Modules per side: 17 + 4 * version. */
  readonly side: number
  /** Rows from the top, each of `rowBytesOf(side)` bytes. Module x of a row is bit `x & 7` of its byte `x >> 3`: 1 is dark. */
  readonly rows: Uint8Array
}

const VERSION_MAX = 40
// Of the eight masks, the one with the lowest mean and the lowest worst penalty over BR Codes of the usual versions 9
// and 10. Scoring all eight for each code would double the time, and readers do not need the best.
const MASK = 2

/** For error correction M, by version (ISO/IEC 18004, table 9): parity bytes per block, and number of blocks. */
const PARITY_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
]

const BYTE_MODE = 0b0100
/** Versions up to this one count their bytes in 8 bits, later ones in 16. */
const SHORT_COUNT_VERSION_MAX = 9
const PADDING = [0xec, 0x11] as const

/** How many bytes a row of modules takes. */
export const rowBytesOf = (side: number): number => (side + 7) >> 3

/**
 * The QR code of a text in UTF-8: byte mode, error correction M, the smallest version that fits. Throws an Error beyond
 * the 2,331 bytes of version 40, ten times what any BR Code takes.
 *
 * The result equals that of the package `qr`, which draws, once per version, everything that does not depend on the
 * text.
 */
export function encodeQrSymbol(text: string): QrSymbol {
  const bytes = Buffer.from(text)
  const layout = layoutOf(versionFor(bytes.length))
  return { side: layout.side, rows: draw(layout, layout.empty, bytes) }
}

/** What all symbols of a version share. */
interface Layout {
  readonly version: number
  readonly side: number
  /** Bytes of the text with its head and padding, in all blocks. */
  readonly dataBytes: number
  readonly blocks: ReadonlyArray<{ readonly start: number; readonly end: number }>
  readonly parity: ParityTable
  /** Where each bit goes, as `8 * byte + bit` of the rows: first the data's, then the parity's, both block by block. */
  readonly places: Uint32Array
  /** Rows of codewords that are all zero: patterns, format and mask. */
  readonly empty: Uint8Array
}

// By version.
const layouts: Array<Layout | undefined> = []

const layoutOf = (version: number): Layout => {
  const known = layouts[version]
  if (known !== undefined) return known
  const side = 17 + 4 * version
  const { dataBytes, blocks, parityBytes } = blocksOf(version)
  const parity = parityTableOf(parityBytes)
  const places = placesOf(version, blocks, parityBytes)
  const parts = { version, side, dataBytes, blocks, parity, places }
  // The package draws the empty text's codewords. Drawing is XOR: drawing them again removes them.
  const layout = { ...parts, empty: draw(parts, symbolOfNothing(version), Buffer.alloc(0)) }
  layouts[version] = layout
  return layout
}

const symbolOfNothing = (version: number): Uint8Array => {
  const drawn = encodeQR("", "raw", { version, ecc: "medium", encoding: "byte", mask: MASK, border: 1 })
  const side = drawn.length - 2
  const rowBytes = rowBytesOf(side)
  const rows = new Uint8Array(side * rowBytes)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const byteIndex = y * rowBytes + (x >> 3)
      rows[byteIndex] = (rows[byteIndex] ?? 0) | (Number(drawn[y + 1]?.[x + 1] === true) << (x & 7))
    }
  }
  return rows
}

/** Copies `rows` and flips the modules that are 1 in the text's codewords. */
const draw = (layout: Omit<Layout, "empty">, rows: Uint8Array, bytes: Uint8Array): Uint8Array => {
  const { places } = layout
  const codewords = codewordsOf(layout, bytes)
  const drawn = rows.slice()
  let bitIndex = 0
  for (const codeword of codewords) {
    for (let shift = 7; shift >= 0; shift--) {
      const place = places[bitIndex++] ?? 0
      const byteIndex = place >> 3
      // Arithmetic, since a branch on a bit is mispredicted half of the time.
      drawn[byteIndex] = (drawn[byteIndex] ?? 0) ^ (((codeword >> shift) & 1) << (place & 7))
    }
  }
  return drawn
}

const codewordsOf = (layout: Omit<Layout, "empty">, bytes: Uint8Array): Uint8Array => {
  const codewords = new Uint8Array(layout.places.length >> 3)
  putData(layout, codewords, bytes)
  let parityStart = layout.dataBytes
  for (const { start, end } of layout.blocks) {
    putParity(codewords, start, end, parityStart, layout.parity)
    parityStart += layout.parity.length
  }
  return codewords
}

/** Writes the data's codewords: mode, count, the text's bytes and padding. */
const putData = (
  { version, dataBytes }: Pick<Layout, "version" | "dataBytes">,
  codewords: Uint8Array,
  bytes: Uint8Array,
): void => {
  const count = bytes.length
  let length = 0
  // Mode and count end in the middle of a byte, so each byte of the text spans two.
  if (version <= SHORT_COUNT_VERSION_MAX) codewords[length++] = (BYTE_MODE << 4) | (count >> 4)
  else {
    codewords[length++] = (BYTE_MODE << 4) | (count >> 12)
    codewords[length++] = count >> 4
  }
  let nibble = count
  for (let index = 0; index < count; index++) {
    const byte = bytes[index] ?? 0
    codewords[length++] = (nibble << 4) | (byte >> 4)
    nibble = byte
  }
  codewords[length++] = nibble << 4
  for (let index = 0; length < dataBytes; index ^= 1) codewords[length++] = PADDING[index] ?? 0
}

const versionFor = (byteLength: number): number => {
  for (let version = 1; version <= VERSION_MAX; version++) {
    const headAndEndBytes = version <= SHORT_COUNT_VERSION_MAX ? 2 : 3
    if (byteLength + headAndEndBytes <= dataBytesOf(version)) return version
  }
  throw new Error(`Capacity overflow: ${byteLength} bytes are more than a QR code holds`)
}

/** The number of codewords (ISO/IEC 18004, table 1): the modules that no pattern takes, in whole bytes. */
const codewordsIn = (version: number): number => {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2
  const alignmentModules = version === 1 ? 0 : (25 * alignments - 10) * alignments - 55
  const versionModules = version < 7 ? 0 : 36
  return ((16 * version + 128) * version + 64 - alignmentModules - versionModules) >> 3
}

const tableOf = (numbers: ReadonlyArray<number>, version: number): number => numbers[version - 1] ?? 0

const dataBytesByVersion = Array.from(
  { length: VERSION_MAX },
  (_, index) => codewordsIn(index + 1) - tableOf(PARITY_BYTES, index + 1) * tableOf(BLOCKS, index + 1),
)
const dataBytesOf = (version: number): number => tableOf(dataBytesByVersion, version)

const blocksOf = (version: number) => {
  const count = tableOf(BLOCKS, version)
  const dataBytes = dataBytesOf(version)
  const shortBytes = Math.floor(dataBytes / count)
  const shortCount = count - (dataBytes % count)
  const startOf = (index: number) => index * shortBytes + Math.max(0, index - shortCount)
  const blocks = Array.from({ length: count }, (_, index) => ({
    start: startOf(index),
    end: startOf(index + 1),
  }))
  return { dataBytes, blocks, parityBytes: tableOf(PARITY_BYTES, version) }
}

/**
 * Codewords are placed one from each block, round by round: first the data's, then the parity's, along the two-column zigzag of
 * `freeModules`.
 */
const placesOf = (version: number, blocks: Layout["blocks"], parityBytes: number): Uint32Array => {
  const dataBytes = dataBytesOf(version)
  const rounds = Math.max(...blocks.map(({ start, end }) => end - start))
  const sent: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    for (const { start, end } of blocks) if (start + round < end) sent.push(start + round)
  }
  for (let round = 0; round < parityBytes; round++) {
    for (const index of blocks.keys()) sent.push(dataBytes + index * parityBytes + round)
  }
  const free = freeModules(version)
  const places = new Uint32Array(sent.length * 8)
  for (const [order, codeword] of sent.entries()) {
    places.set(free.slice(order * 8, order * 8 + 8), codeword * 8)
  }
  return places
}

/** The modules that no pattern takes, from the bottom right, upwards and down in turn (ISO/IEC 18004, 7.7.3). */
const freeModules = (version: number): ReadonlyArray<number> => {
  const side = 17 + 4 * version
  const isTaken = patternsOf(version)
  const rowBits = rowBytesOf(side) * 8
  const free: Array<number> = []
  let isUpwards = true
  for (let right = side - 1; right > 0; right -= 2) {
    // The timing pattern's column is not part of any pair.
    if (right === 6) right = 5
    for (let step = 0; step < side; step++) {
      const y = isUpwards ? side - 1 - step : step
      for (const x of [right, right - 1]) if (!isTaken(x, y)) free.push(y * rowBits + x)
    }
    isUpwards = !isUpwards
  }
  return free
}

/** Whether a module belongs to a finder, timing, alignment, format or version pattern (ISO/IEC 18004, 6.3). */
const patternsOf = (version: number): ((x: number, y: number) => boolean) => {
  const side = 17 + 4 * version
  const isNear = (value: number) => value < 9
  const isFar = (value: number) => value >= side - 8
  const isVersion = (x: number, y: number) => version >= 7 && x < 6 && y >= side - 11 && y < side - 8
  const centres = alignmentCentres(version)
  const isAlignment = (x: number, y: number) =>
    centres.some((cy, row) =>
      centres.some((cx, column) => {
        const last = centres.length - 1
        const isFinder = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0)
        return !isFinder && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2
      }),
    )
  return (x, y) =>
    (isNear(x) && isNear(y)) ||
    (isFar(x) && isNear(y)) ||
    (isNear(x) && isFar(y)) ||
    x === 6 ||
    y === 6 ||
    isVersion(x, y) ||
    isVersion(y, x) ||
    isAlignment(x, y)
}

/** Rows and columns of the alignment patterns' centres (ISO/IEC 18004, annex E), in even steps from the far edge. */
const alignmentCentres = (version: number): ReadonlyArray<number> => {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  // Version 32 is the only exception to the rule.
  const step = version === 32 ? 26 : Math.ceil((4 * version + 4) / (2 * count - 2)) * 2
  const last = 4 * version + 10
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step)]
}
