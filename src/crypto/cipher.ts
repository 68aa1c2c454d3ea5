import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { DocumentSealer, SecretOpener } from "../../actors/ports/secretOpener.ts"
import { type SealedPlace, sealedPrefix } from "../../actors/values/sealedPlaces.ts"
import { derivedKeys, type EncryptionKeys } from "./encryptionKeys.ts"

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

/**
 * AES-256-GCM under `ENCRYPTION_KEY` (docs/decisions/0105-ciphertext-names-its-key-and-its-place.md). A ciphertext is `enc:v2:`, the id
 * of its key, a colon, and base64url of IV (12 bytes), tag (16) and encrypted text. The place is its associated data.
 */
export const makeCipher = (keys: EncryptionKeys) => {
  const [newest] = keys
  const prefix = `${sealedPrefix}${newest.id}:`
  const byId = new Map(keys.map(({ id, bytes }) => [id, bytes]))

  /** Encrypts a text for its place under the newest key; each call returns another ciphertext. */
  const seal = (text: string, place: SealedPlace): string => {
    const iv = nextIv()
    const cipher = createCipheriv("aes-256-gcm", newest.bytes, iv)
    cipher.setAAD(Buffer.from(place))
    const ciphertext = cipher.update(text, "utf8")
    // GCM has no last block: it is empty.
    cipher.final()
    return prefix + Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64url")
  }

  /** Decrypts; undefined if the text was altered, belongs to another place, or names a key that is not given. */
  const open = (sealed: string, place: SealedPlace): string | undefined => {
    if (!sealed.startsWith(sealedPrefix)) return undefined
    const end = sealed.indexOf(":", sealedPrefix.length)
    const key = byId.get(sealed.slice(sealedPrefix.length, end))
    if (end < 0 || key === undefined) return undefined
    const bytes = Buffer.from(sealed.slice(end + 1), "base64url")
    if (bytes.length < ivLength + tagLength) return undefined
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivLength), {
        authTagLength: tagLength,
      })
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
      return decipher.update(bytes.subarray(ivLength + tagLength), undefined, "utf8") + decipher.final("utf8")
    } catch {
      return undefined
    }
  }

  return { seal, open }
}

/** HMAC-SHA256 in base64url under keys derived from `ENCRYPTION_KEY` for this purpose: one for each key, newest first. */
export const makeFingerprints = (keys: EncryptionKeys) => {
  const [newest, ...older] = derivedKeys(keys, "fingerprints")
  return (text: string): readonly [string, ...Array<string>] => {
    const under = (key: Buffer): string => createHmac("sha256", key).update(text).digest("base64url")
    return [under(newest), ...older.map(under)]
  }
}

/** Most documents that are remembered between their sealing and their first showing. */
export const justSealedMax = 1_024

/**
 * A cipher that remembers what it has just sealed until it is opened once: a charge is answered a moment after its document was
 * sealed (docs/decisions/0072-pictures-are-not-stored.md).
 */
export const makeDocumentCipher = ({ seal, open }: ReturnType<typeof makeCipher>) => {
  const justSealed = new Map<string, { readonly text: string; readonly place: SealedPlace }>()
  return {
    seal: (text: string, place: SealedPlace): string => {
      const sealed = seal(text, place)
      // Those of requests that failed stay, until there are too many.
      if (justSealed.size >= justSealedMax) justSealed.clear()
      justSealed.set(sealed, { text, place })
      return sealed
    },
    open: (sealed: string, place: SealedPlace): string | undefined => {
      const known = justSealed.get(sealed)
      if (known === undefined || known.place !== place) return open(sealed, place)
      justSealed.delete(sealed)
      return known.text
    },
  }
}

/** All ciphers of the service. */
export const CipherLive = (keys: EncryptionKeys) => {
  const { seal, open } = makeDocumentCipher(makeCipher(keys))
  return Layer.mergeAll(Layer.succeed(DocumentSealer, { seal }), Layer.succeed(SecretOpener, { open }))
}
