/** Writes bits in deflate's order, the lowest first, into a buffer that is reused. */
export class BitWriter {
  readonly buffer: Buffer
  length = 0
  #pending = 0
  #pendingBits = 0

  constructor(capacityBytes: number) {
    this.buffer = Buffer.alloc(capacityBytes)
  }

  /** Appends the low `bits` bits of `value`: at most 24, which with the 7 that may be pending fit 31. */
  put(value: number, bits: number): void {
    this.#pending |= value << this.#pendingBits
    this.#pendingBits += bits
    while (this.#pendingBits >= 8) {
      this.buffer[this.length++] = this.#pending
      this.#pending >>>= 8
      this.#pendingBits -= 8
    }
  }

  /** Appends bytes at the next byte boundary. */
  putBytes(bytes: ArrayLike<number>): void {
    this.put(0, -this.#pendingBits & 7)
    this.buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends a big-endian 32-bit integer at the next byte boundary. */
  putUint32(value: number): void {
    this.putBytes([value >>> 24, value >>> 16, value >>> 8, value])
  }

  /** The current place, for `rewind`. */
  mark() {
    return { length: this.length, pending: this.#pending, pendingBits: this.#pendingBits }
  }

  /** Goes back to a place: what is appended next overwrites what followed it. */
  rewind(mark: BitMark): void {
    this.length = mark.length
    this.#pending = mark.pending
    this.#pendingBits = mark.pendingBits
  }
}

/** A place to rewind to. */
export type BitMark = Readonly<ReturnType<BitWriter["mark"]>>
