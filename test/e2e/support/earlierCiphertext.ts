import { createDecipheriv } from "node:crypto"
import type { Redis } from "ioredis"
import { type SealedPlace, sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { makeCipher } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"

const earlier = /enc:v1:[A-Za-z0-9_-]+/g

const openEarlier = (sealed: string, key: Uint8Array): string => {
  const bytes = Buffer.from(sealed.slice("enc:v1:".length), "base64url")
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8")
}

/** The place of a field's ciphertext, by the names of its key and the fields of its hash. */
const placeOf = (key: string, field: string, record: Readonly<Record<string, string>>): SealedPlace => {
  const id = key.split(":").at(-1) ?? ""
  switch (`${key.split(":")[0]}.${field}`) {
    case "txn.document":
      return sealedPlaces.customerDocument(id)
    case "seller.document":
      return sealedPlaces.sellerDocument(id)
    case "seller.postback_secret":
      return sealedPlaces.postbackSecret(id)
    case "destination.secret":
    case "destination.secret_previous":
      return sealedPlaces.endpointSecret(id)
    case "destination.headers":
      return sealedPlaces.trackerHeaders(id)
    case "pk.value":
      return sealedPlaces.pixKeyValue(id)
    case "wd.pix_value":
      return sealedPlaces.withdrawalPixValue(id)
    case "user.totp_secret":
    case "user.totp_secret_pending":
      return sealedPlaces.totpSecret(id)
    case "inb.body":
      return sealedPlaces.noticeBody(record.body_hash ?? "")
    case "inb.headers":
      return sealedPlaces.noticeHeaders(record.body_hash ?? "")
    default:
      throw new Error(`no place is known for ${field} of ${key}`)
  }
}

/** Makes all ciphertext of an earlier commit anew, bound to its place, and drops the sample of its key. */
export const sealAnew = async (redis: Redis, key: Uint8Array): Promise<void> => {
  const { seal } = makeCipher(plainKey(key))
  const anew = (text: string, place: SealedPlace) =>
    text.replaceAll(earlier, (sealed) => seal(openEarlier(sealed, key), place))
  await redis.del("encryption-sample")
  for (const name of await redis.keys("*")) {
    const type = await redis.type(name)
    if (type === "hash") {
      const record = await redis.hgetall(name)
      for (const [field, text] of Object.entries(record)) {
        if (text.includes("enc:v1:")) await redis.hset(name, field, anew(text, placeOf(name, field, record)))
      }
    }
    if (type === "stream") {
      const entries = await redis.xrange(name, "-", "+")
      if (!entries.some(([, fields]) => fields.some((text) => text.includes("enc:v1:")))) continue
      await redis.del(name)
      for (const [entryId, fields] of entries) {
        const charge = sealedPlaces.customerDocument(
          /"id":"(txn_[0-9A-Z]{26})"/.exec(fields.join())?.[1] ?? "",
        )
        await redis.xadd(name, entryId, ...fields.map((text) => anew(text, charge)))
      }
    }
  }
}
