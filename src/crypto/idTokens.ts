import { createCipheriv, createHmac, timingSafeEqual } from "node:crypto"
import { type IdPrefix, idOfHex, writeIdBytes } from "../../schema/ids.ts"

/** Of an id's 128 bits, of a tag, and of AES. */
const blockLength = 16
const tokenLength = 2 * blockLength
/** What a text that is no token is opened as, so that it takes the same work. */
const decoy = Buffer.alloc(tokenLength)

/** AES-256 of single blocks under one key. The cipher is made once: making one costs ten times what a block does. */
const makeBlockCipher = (key: Uint8Array) => {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false)
  return (block: Uint8Array): Buffer => cipher.update(block)
}

const xor = (left: Uint8Array, right: Uint8Array): Buffer => {
  const mixed = Buffer.alloc(blockLength)
  for (let i = 0; i < blockLength; i++) mixed[i] = (left[i] ?? 0) ^ (right[i] ?? 0)
  return mixed
}

/**
 * Turns ids of one kind into tokens that only a holder of `ENCRYPTION_KEY` can make or read: always the same token for an id, so
 * that nothing has to be stored (docs/decisions/0083-payment-pages.md). Each purpose has keys of its own, so a token of
 * one is nothing to another. `key` has 32 bytes.
 *
 * The construction is SIV (Rogaway and Shrimpton) for messages of one block: the tag is AES-256 of the id's 128 bits, and AES-256 of
 * the tag under a second key is the pad that hides them.
 */
export const makeIdTokens = (key: Uint8Array, purpose: string, prefix: IdPrefix) => {
  const derived = (use: string): Buffer => createHmac("sha256", key).update(`${purpose}: ${use}`).digest()
  const tagOf = makeBlockCipher(derived("tag"))
  const padOf = makeBlockCipher(derived("encryption"))

  /** The token of an id: 43 characters of base64url. */
  const tokenOf = (id: string): string => {
    const plain = Buffer.alloc(blockLength)
    writeIdBytes(id, plain)
    const tag = tagOf(plain)
    return Buffer.concat([tag, xor(plain, padOf(tag))]).toString("base64url")
  }

  /** The id of a token; undefined for any other text, with the same work whatever is wrong with it. */
  const idOf = (token: string): string | undefined => {
    const bytes = Buffer.from(token.slice(0, 2 * tokenLength), "base64url")
    // Base64 has several spellings of the same bytes, of which one is the token.
    const isWhole = bytes.length === tokenLength && bytes.toString("base64url") === token
    const sealed = isWhole ? bytes : decoy
    const tag = sealed.subarray(0, blockLength)
    const plain = xor(sealed.subarray(blockLength), padOf(tag))
    return timingSafeEqual(tagOf(plain), tag) && isWhole ? idOfHex(prefix, plain.toString("hex")) : undefined
  }

  return { tokenOf, idOf }
}
