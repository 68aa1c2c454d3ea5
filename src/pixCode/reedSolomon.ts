/** What computes parity of one length, in bytes. A word holds four bytes, the first one highest. */
export interface ParityTable {
  readonly length: number
  /** The generator polynomial's multiples by each byte, a row of words each. */
  readonly multiples: Uint32Array
  /** Holds the remainder during a division, then a word of zeros, so that the last word has a next one too. */
  readonly remainder: Uint32Array
}

/** The field of QR codes (ISO/IEC 18004, 7.5.2): bytes modulo x^8 + x^4 + x^3 + x^2 + 1. */
const FIELD = 0x11d

const multiply = (left: number, right: number): number => {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * FIELD)
    product ^= ((right >> bit) & 1) * left
  }
  return product
}

/** The table for parity of `length` bytes: the generator has the roots 1, 2, 4 and so on, `length` of them. */
export const parityTableOf = (length: number): ParityTable => {
  // Coefficients after the leading 1, highest first.
  let generator = new Uint8Array(length)
  generator[length - 1] = 1
  for (let index = 0, root = 1; index < length; index++, root = multiply(root, 2)) {
    generator = generator.map((value, at) => multiply(value, root) ^ (generator[at + 1] ?? 0))
  }
  const words = Math.ceil(length / 4)
  const multiples = new Uint32Array(256 * words)
  for (let factor = 0; factor < 256; factor++) {
    for (const [at, value] of generator.entries()) {
      const word = factor * words + (at >> 2)
      multiples[word] = (multiples[word] ?? 0) | (multiply(value, factor) << (24 - 8 * (at & 3)))
    }
  }
  return { length, multiples, remainder: new Uint32Array(words + 1) }
}

/** Writes the parity of bytes `start` up to `end` to `parityStart`: the remainder of a division by the generator. */
export const putParity = (
  bytes: Uint8Array,
  start: number,
  end: number,
  parityStart: number,
  { length, multiples, remainder }: ParityTable,
): void => {
  const words = remainder.length - 1
  remainder.fill(0)
  for (let index = start; index < end; index++) {
    let first = remainder[0] ?? 0
    let multiple = ((bytes[index] ?? 0) ^ (first >>> 24)) * words
    for (let word = 0; word < words; word++) {
      const next = remainder[word + 1] ?? 0
      remainder[word] = ((first << 8) | (next >>> 24)) ^ (multiples[multiple++] ?? 0)
      first = next
    }
  }
  for (let at = 0; at < length; at++) {
    bytes[parityStart + at] = (remainder[at >> 2] ?? 0) >>> (24 - 8 * (at & 3))
  }
}
