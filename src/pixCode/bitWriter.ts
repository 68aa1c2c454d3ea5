/** Bits as deflate orders them, the first to send lowest, in a buffer that is written again and again. */
export class BitWriter {
  readonly buffer: Buffer
  length = 0
  #pending = 0
  #pendingBits = 0

  constructor(capacityBytes: number) {
    this.buffer = Buffer.alloc(capacityBytes)
  }

  /** At most 24 bits, so that they and the 7 that may be pending fit 31. */
  put(value: number, bits: number): void {
    this.#pending |= value << this.#pendingBits
    this.#pendingBits += bits
    while (this.#pendingBits >= 8) {
      this.buffer[this.length++] = this.#pending
      this.#pending >>>= 8
      this.#pendingBits -= 8
    }
  }

  /** From the next whole byte on, as the next one. */
  putBytes(bytes: ArrayLike<number>): void {
    this.put(0, -this.#pendingBits & 7)
    this.buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  putUint32(value: number): void {
    this.putBytes([value >>> 24, value >>> 16, value >>> 8, value])
  }

  mark() {
    return { length: this.length, pending: this.#pending, pendingBits: this.#pendingBits }
  }

  rewind(mark: BitMark): void {
    this.length = mark.length
    this.#pending = mark.pending
    this.#pendingBits = mark.pendingBits
  }
}

/** A place to rewind to. */
export type BitMark = Readonly<ReturnType<BitWriter["mark"]>>
