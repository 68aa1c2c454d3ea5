import { randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { makeId } from "../../schema/ids.ts"

const pool = Buffer.alloc(8_192)
let at = pool.length

/** Random bytes from a pool: one system call for hundreds of ids. The view is valid until the next call. */
const randomBytes = (length: number): Uint8Array => {
  if (at + length > pool.length) {
    randomFillSync(pool)
    at = 0
  }
  at += length
  return pool.subarray(at - length, at)
}

const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** Identifiers from cryptographic randomness. */
export const IdentifiersLive = Layer.succeed(Identifiers, {
  id: (prefix, partition, millis) => makeId(prefix, millis, partition, randomBytes(14)),
  alphanumeric: (length) => {
    let text = ""
    while (text.length < length) {
      // 252 is the largest multiple of 36 in a byte: bytes above it would favour the first characters.
      for (const byte of randomBytes(length)) {
        if (byte < 252 && text.length < length) text += characters[byte % 36]
      }
    }
    return text
  },
})
