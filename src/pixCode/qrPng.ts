import { crc32 } from "node:zlib"
import { type BitMark, BitWriter } from "./bitWriter.ts"
import { encodeQrSymbol, type QrSymbol, rowBytesOf } from "./qrSymbol.ts"

/** Modules per side of versions 1 and 40. */
const SIDE_MIN = 21
const SIDE_MAX = 177
/** ISO/IEC 18004 requires four light modules on each side of the symbol. */
const QUIET_ZONE_MODULES = 4
// Eight one-bit pixels make a module one byte, dark 0x00 or light 0xff, which keeps everything below simple.
const MODULE_PIXELS = 8

const DARK_BYTE = 0x00
const LIGHT_BYTE = 0xff
// The first byte of each row of pixels: no filter. It equals a dark module's byte, and is sent as one.
const FILTER_BYTES = 1

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const PNG_END = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]
const IHDR_BYTES = 13
const IDAT_LENGTH_AT = PNG_SIGNATURE.length + 4 + 4 + IHDR_BYTES + 4
const IDAT_TYPE_AT = IDAT_LENGTH_AT + 4
const IDAT_AT = IDAT_TYPE_AT + 4
const ZLIB_HEAD = [0x78, 0x01]
const ADLER_MODULUS = 65_521
// A PNG without its rows of modules takes at most 115 bytes.
const FRAME_BYTES_MAX = 128

// The codes of the only deflate block: RFC 1951, 3.2.2 derives them from their lengths. They are written here as they
// are sent, lowest bit first.
const LIGHT_CODE = { value: 0b0, bits: 1 } as const
const DARK_CODE = { value: 0b01, bits: 2 } as const
const END_CODE = { value: 0b011, bits: 3 } as const
const LENGTH_CODE = { value: 0b111, bits: 3 } as const
const DISTANCE_CODE = { value: 0b1, bits: 1 } as const
const END_SYMBOL = 256
/** The length symbols with five extra bits, longest first (RFC 1951, 3.2.5). */
const LENGTH_RANGES = [
  { symbol: 284, min: 227, max: 257 },
  { symbol: 283, min: 195, max: 226 },
  { symbol: 282, min: 163, max: 194 },
  { symbol: 281, min: 131, max: 162 },
]
const LENGTH_EXTRA_BITS = 5

/** The codes of those lengths in the block's head (RFC 1951, 3.2.7): 1, 2, 3 and two kinds of runs of zeros. */
const CODE_LENGTH_CODES = {
  1: { value: 0b00, bits: 2 },
  2: { value: 0b011, bits: 3 },
  3: { value: 0b10, bits: 2 },
  17: { value: 0b111, bits: 3 },
  18: { value: 0b01, bits: 2 },
} as const
// Their own lengths, in the order of the RFC: 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1.
const CODE_LENGTH_CODE_BITS = [0, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 2]

/**
 * A PNG of the payload's QR code, in base64 without `data:` (`pix.qr_base64`): error correction M, the smallest version
 * that fits, 8 pixels per module. Throws as `encodeQrSymbol` does.
 */
export function encodeQrPngBase64(payload: string): string {
  return encodePngBase64(encodeQrSymbol(payload))
}

/**
 * A 1-bit greyscale PNG in base64, with 8 pixels per module and four light modules on each side. Throws a RangeError for
 * a size that no symbol has.
 *
 * A row of modules is eight equal rows of pixels. Only the first is written out, and of it only the symbol: its right
 * quiet zone, the seven repeats, and the next row's filter byte and left quiet zone are copies of the bytes one row of
 * pixels before. So a row of modules costs its literals and a few constant bits. The rows of the quiet zone above and
 * below are all light; row 0, which has none before it, is part of the layout.
 */
export function encodePngBase64({ side, rows }: QrSymbol): string {
  const { pictureSide, bits, start, copies, lastCopies, copyBits } = layouts.get(side) ?? addLayout(side)
  const rowBytes = rowBytesOf(side)
  // The last byte's unused bits are 0, which reads as light, whose code is a 0 bit: they are left off.
  const unusedBits = rowBytes * 8 - side
  const symbolEnd = QUIET_ZONE_MODULES + side
  let darkCount = 0
  let darkRowSum = 0
  let darkColumnSum = 0
  bits.rewind(start)
  for (let row = 1; row < pictureSide; row++) {
    const isSymbol = row >= QUIET_ZONE_MODULES && row < symbolEnd
    const rowAt = (row - QUIET_ZONE_MODULES) * rowBytes
    let darkInRow = 0
    for (let index = 0; index < rowBytes; index++) {
      const eight = isSymbol ? (rows[rowAt + index] ?? 0) : 0
      const darkInEight = darkOfEight[eight] ?? 0
      const unused = index + 1 < rowBytes ? 0 : unusedBits
      bits.put(codeOfEight[eight] ?? 0, LIGHT_CODE.bits * (8 - unused) + EXTRA_BITS_OF_DARK * darkInEight)
      darkInRow += darkInEight
      darkColumnSum += darkInEight * (QUIET_ZONE_MODULES + index * 8) + (columnSumOfEight[eight] ?? 0)
    }
    darkCount += darkInRow
    darkRowSum += darkInRow * row
    for (const copy of row + 1 < pictureSide ? copies : lastCopies) bits.put(copy, copyBits)
  }
  bits.put(END_CODE.value, END_CODE.bits)
  bits.putUint32(adler32(pictureSide, darkCount, darkRowSum, darkColumnSum))
  bits.buffer.writeUInt32BE(bits.length - IDAT_AT, IDAT_LENGTH_AT)
  bits.putUint32(crc32(bits.buffer.subarray(IDAT_TYPE_AT, bits.length)))
  bits.putBytes(PNG_END)
  return bits.buffer.toString("base64", 0, bits.length)
}

// For each byte of eight modules: their codes one after another, how many are dark, and the sum of the dark modules'
// positions.
const EXTRA_BITS_OF_DARK = DARK_CODE.bits - LIGHT_CODE.bits
const codeOfEight = new Uint16Array(256)
const darkOfEight = new Uint8Array(256)
const columnSumOfEight = new Uint8Array(256)
for (let eight = 0; eight < 256; eight++) {
  let code = 0
  let codeBits = 0
  for (let module = 0; module < 8; module++) {
    const isDark = (eight >> module) & 1
    code |= (isDark * DARK_CODE.value) << codeBits
    codeBits += LIGHT_CODE.bits + isDark * EXTRA_BITS_OF_DARK
    darkOfEight[eight] = (darkOfEight[eight] ?? 0) + isDark
    columnSumOfEight[eight] = (columnSumOfEight[eight] ?? 0) + isDark * module
  }
  codeOfEight[eight] = code
}

/** What all PNGs of one size share. */
interface Layout {
  /** Modules per side, with the quiet zone. */
  readonly pictureSide: number
  /** Holds a PNG up to the symbol's part of row 1; each call overwrites the rest and needs it no longer on return. */
  readonly bits: BitWriter
  readonly start: BitMark
  /** The codes of the copies that complete a row of modules, each of `copyBits` bits. */
  readonly copies: ReadonlyArray<number>
  readonly lastCopies: ReadonlyArray<number>
  readonly copyBits: number
}

// By side: at most forty, one for each QR version.
const layouts = new Map<number, Layout>()

function addLayout(side: number): Layout {
  const pictureSide = side + 2 * QUIET_ZONE_MODULES
  const rowBytes = FILTER_BYTES + pictureSide
  const repeats = (MODULE_PIXELS - 1) * rowBytes
  const nextRowStart = FILTER_BYTES + QUIET_ZONE_MODULES
  const copiedBytes = QUIET_ZONE_MODULES + repeats + nextRowStart
  const copiedBytesFirst = repeats + nextRowStart
  const copiedBytesLast = QUIET_ZONE_MODULES + repeats
  const length = LENGTH_RANGES.find((range) =>
    [copiedBytes, copiedBytesFirst, copiedBytesLast].every((total) => canSplit(total, range)),
  )
  if (side % 4 !== 1 || side < SIDE_MIN || side > SIDE_MAX || length === undefined) {
    throw new RangeError(`no QR code has ${side} modules a side`)
  }
  const distance = distanceSymbolOf(rowBytes)
  const distanceCode = DISTANCE_CODE.value + (distance.extra << DISTANCE_CODE.bits)
  const copiesOf = (total: number) => {
    const parts = Math.ceil(total / length.max)
    return Array.from({ length: parts }, (_, index) => {
      const lengthExtra = Math.floor((total + index) / parts) - length.min
      return LENGTH_CODE.value + ((lengthExtra + (distanceCode << LENGTH_EXTRA_BITS)) << LENGTH_CODE.bits)
    })
  }
  const copies = copiesOf(copiedBytes)
  const copyBits = LENGTH_CODE.bits + LENGTH_EXTRA_BITS + DISTANCE_CODE.bits + distance.extraBits

  const moduleRowBitsMax = pictureSide * DARK_CODE.bits + copies.length * copyBits
  const bits = new BitWriter(FRAME_BYTES_MAX + Math.ceil((pictureSide * moduleRowBitsMax) / 8))
  putPngHead(bits, pictureSide * MODULE_PIXELS)
  putBlockHead(bits, length.symbol, distance.symbol)
  bits.put(DARK_CODE.value, DARK_CODE.bits)
  for (let column = 0; column < pictureSide; column++) bits.put(LIGHT_CODE.value, LIGHT_CODE.bits)
  for (const copy of copiesOf(copiedBytesFirst)) bits.put(copy, copyBits)
  const start = bits.mark()
  const layout = { pictureSide, bits, start, copies, lastCopies: copiesOf(copiedBytesLast), copyBits }
  layouts.set(side, layout)
  return layout
}

/** Whether the fewest equal parts of at most `max` are all at least `min`. */
function canSplit(total: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return Math.ceil(total / max) * min <= total
}

/** The symbol of a distance of 5 or more, and its extra bits (RFC 1951, 3.2.5). */
function distanceSymbolOf(distance: number) {
  const extraBits = 30 - Math.clz32(distance - 1)
  const topTwoBits = (distance - 1) >> extraBits
  return { symbol: 2 * extraBits + topTwoBits, extraBits, extra: distance - 1 - (topTwoBits << extraBits) }
}

/** Writes the signature, IHDR, and IDAT up to its zlib header; IDAT's length is known only at the end. */
function putPngHead(bits: BitWriter, sidePixels: number): void {
  bits.putBytes(PNG_SIGNATURE)
  bits.putUint32(IHDR_BYTES)
  const typeAt = bits.length
  bits.putBytes(Buffer.from("IHDR"))
  bits.putUint32(sidePixels)
  bits.putUint32(sidePixels)
  // One bit per pixel, greyscale, deflate, filters by row, not interlaced.
  bits.putBytes([1, 0, 0, 0, 0])
  bits.putUint32(crc32(bits.buffer.subarray(typeAt, bits.length)))
  bits.putUint32(0)
  bits.putBytes(Buffer.from("IDAT"))
  bits.putBytes(ZLIB_HEAD)
}

/** Writes the head of a final block with dynamic codes: the length of each symbol's code (RFC 1951, 3.2.7). */
function putBlockHead(bits: BitWriter, lengthSymbol: number, distanceSymbol: number): void {
  bits.put(0b101, 3)
  bits.put(lengthSymbol - END_SYMBOL, 5)
  bits.put(distanceSymbol, 5)
  bits.put(CODE_LENGTH_CODE_BITS.length - 4, 4)
  for (const codeBits of CODE_LENGTH_CODE_BITS) bits.put(codeBits, 3)

  putCodeLength(bits, 0, DARK_CODE.bits)
  putCodeLength(bits, LIGHT_BYTE - DARK_BYTE - 1, LIGHT_CODE.bits)
  putCodeLength(bits, END_SYMBOL - LIGHT_BYTE - 1, END_CODE.bits)
  putCodeLength(bits, lengthSymbol - END_SYMBOL - 1, LENGTH_CODE.bits)
  // Distance symbol 0 is never sent: it makes the code complete, which strict decoders require.
  putCodeLength(bits, 0, DISTANCE_CODE.bits)
  putCodeLength(bits, distanceSymbol - 1, DISTANCE_CODE.bits)
}

/** Writes the length of a symbol's code after a run of symbols without one; the run is empty or 3 and more. */
function putCodeLength(bits: BitWriter, unusedBefore: number, codeBits: 1 | 2 | 3): void {
  for (let unused = unusedBefore; unused > 0; ) {
    const run = Math.min(unused, 138)
    const [symbol, runMin, extraBits] = run < 11 ? ([17, 3, 3] as const) : ([18, 11, 7] as const)
    bits.put(CODE_LENGTH_CODES[symbol].value, CODE_LENGTH_CODES[symbol].bits)
    bits.put(run - runMin, extraBits)
    unused -= run
  }
  bits.put(CODE_LENGTH_CODES[codeBits].value, CODE_LENGTH_CODES[codeBits].bits)
}

/**
 * Adler-32 of the image's bytes (RFC 1950), without reading them: byte `i` of `total` adds its value to the low half and
 * `total - i` times its value to the high half. So it takes the sums over an all-light image and subtracts what the dark
 * modules lack.
 */
function adler32(side: number, darkCount: number, darkRowSum: number, darkColumnSum: number): number {
  const rowBytes = FILTER_BYTES + side
  const rows = side * MODULE_PIXELS
  const total = rows * rowBytes
  const weightOfAll = (total * (total + 1)) / 2
  const weightOfFilters = rows * total - (rowBytes * rows * (rows - 1)) / 2
  // A module's bytes are one row of pixels apart, from MODULE_PIXELS * its row on.
  const rowsToMiddle = (MODULE_PIXELS - 1) / 2
  const weightOfDark =
    darkCount * (total - FILTER_BYTES - rowsToMiddle * rowBytes) -
    darkRowSum * MODULE_PIXELS * rowBytes -
    darkColumnSum
  const low = 1 + LIGHT_BYTE * (rows * side - MODULE_PIXELS * darkCount)
  const high = total + LIGHT_BYTE * (weightOfAll - weightOfFilters - MODULE_PIXELS * weightOfDark)
  return (high % ADLER_MODULUS) * 0x10000 + (low % ADLER_MODULUS)
}
