import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { DocumentSealer } from "../../actors/ports/documentSealer.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { type FindGap, makeFiller } from "../../actors/values/gaps.ts"

/** `enc:v1:`, then base64url of IV (12 bytes), tag (16) and ciphertext. */
const prefix = "enc:v1:"
const ivLength = 12
const tagLength = 16

const ivPool = Buffer.alloc(ivLength * 512)
let ivAt = ivPool.length
const nextIv = (): Buffer => {
  if (ivAt === ivPool.length) {
    randomFillSync(ivPool)
    ivAt = 0
  }
  ivAt += ivLength
  return ivPool.subarray(ivAt - ivLength, ivAt)
}

/** AES-256-GCM under `ENCRYPTION_KEY` (docs/decisions/0059-ciphertext-at-rest.md). `key` has 32 bytes. */
export const makeCipher = (key: Uint8Array) => {
  /** Encrypts a text; each call returns another ciphertext. */
  const seal = (text: string): string => {
    const iv = nextIv()
    const cipher = createCipheriv("aes-256-gcm", key, iv)
    const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return prefix + Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64url")
  }

  /** Decrypts; undefined if the text was not sealed under this key or was altered. */
  const open = (sealed: string): string | undefined => {
    if (!sealed.startsWith(prefix)) return undefined
    const bytes = Buffer.from(sealed.slice(prefix.length), "base64url")
    if (bytes.length < ivLength + tagLength) return undefined
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivLength), {
        authTagLength: tagLength,
      })
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
      return decipher.update(bytes.subarray(ivLength + tagLength), undefined, "utf8") + decipher.final("utf8")
    } catch {
      return undefined
    }
  }

  return { seal, open }
}

/** HMAC-SHA256 in base64url under a key derived from `ENCRYPTION_KEY` for this purpose. */
export const makeFingerprint = (key: Uint8Array) => {
  const own = createHmac("sha256", key).update("fingerprints").digest()
  return (text: string): string => createHmac("sha256", own).update(text).digest("base64url")
}

const marker = `"document":"${prefix}`
const markerToValue = `"document":"`.length

/**
 * Finds the customer's document in the JSON of a stored resource. Opens only the first sealed `document`: ours
 * precedes all free text, and quotes in strings are escaped, so nobody can plant another.
 */
export const makeFindDocument = (open: (sealed: string) => string | undefined): FindGap => {
  return (stored) => {
    const at = stored.indexOf(marker)
    if (at < 0) return undefined
    const start = at + markerToValue
    const end = stored.indexOf('"', start)
    const text = open(stored.slice(start, end))
    return text === undefined ? undefined : { start, end, text }
  }
}

/** Most documents that are remembered between their sealing and their first showing. */
export const justSealedMax = 1_024

/**
 * A cipher that remembers what it has just sealed until it is opened once: a charge is answered a moment after its document was
 * sealed (docs/decisions/0099-shown-charges-are-remembered.md).
 */
export const makeDocumentCipher = ({ seal, open }: ReturnType<typeof makeCipher>) => {
  const justSealed = new Map<string, string>()
  return {
    seal: (text: string): string => {
      const sealed = seal(text)
      // Those of requests that failed stay, until there are too many.
      if (justSealed.size >= justSealedMax) justSealed.clear()
      justSealed.set(sealed, text)
      return sealed
    },
    open: (sealed: string): string | undefined => {
      const text = justSealed.get(sealed)
      if (text === undefined) return open(sealed)
      justSealed.delete(sealed)
      return text
    },
  }
}

/** All ciphers of the service under one key. Its `DocumentCipher` leaves pictures and links out. */
export const CipherLive = (key: Uint8Array) => {
  const { seal, open } = makeDocumentCipher(makeCipher(key))
  return Layer.mergeAll(
    Layer.succeed(DocumentCipher, { restore: makeFiller([makeFindDocument(open)]) }),
    Layer.succeed(DocumentSealer, { seal }),
    Layer.succeed(SecretOpener, { open }),
  )
}
