import { createCipheriv, timingSafeEqual } from "node:crypto"
import { type IdPrefix, idOfHex, writeIdBytes } from "../../schema/ids.ts"
import { derivedKeys, type EncryptionKey, type EncryptionKeys } from "./encryptionKeys.ts"

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
 * that nothing has to be stored (docs/decisions/0083-payment-pages.md). Tokens are made under the newest key, and read under all.
 * Each purpose has keys of its own, so a token of one is nothing to another.
 *
 * The construction is SIV (Rogaway and Shrimpton) for messages of one block: the tag is AES-256 of the id's 128 bits, and AES-256 of
 * the tag under a second key is the pad that hides them.
 */
export const makeIdTokens = (keys: EncryptionKeys, purpose: string, prefix: IdPrefix) => {
  const ciphersUnder = (key: EncryptionKey) => ({
    tagOf: makeBlockCipher(derivedKeys([key], `${purpose}: tag`)[0]),
    padOf: makeBlockCipher(derivedKeys([key], `${purpose}: encryption`)[0]),
  })
  const newest = ciphersUnder(keys[0])
  const all = [newest, ...keys.slice(1).map(ciphersUnder)]

  /** The token of an id: 43 characters of base64url. */
  const tokenOf = (id: string): string => {
    const plain = Buffer.alloc(blockLength)
    writeIdBytes(id, plain)
    const tag = newest.tagOf(plain)
    return Buffer.concat([tag, xor(plain, newest.padOf(tag))]).toString("base64url")
  }

  /** The id of a token; undefined for any other text, with the same work whatever is wrong with it. */
  const idOf = (token: string): string | undefined => {
    const bytes = Buffer.from(token.slice(0, 2 * tokenLength), "base64url")
    // Base64 has several spellings of the same bytes, of which one is the token.
    const isWhole = bytes.length === tokenLength && bytes.toString("base64url") === token
    const sealed = isWhole ? bytes : decoy
    const tag = sealed.subarray(0, blockLength)
    let id: string | undefined
    for (const { tagOf, padOf } of all) {
      const plain = xor(sealed.subarray(blockLength), padOf(tag))
      if (timingSafeEqual(tagOf(plain), tag) && isWhole) id = idOfHex(prefix, plain.toString("hex"))
    }
    return id
  }

  return { tokenOf, idOf }
}
