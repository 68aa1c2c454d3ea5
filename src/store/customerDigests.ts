import { createHmac, randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { CustomerDigests } from "../../actors/ports/customerDigests.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { encodeTail } from "../../schema/ids.ts"
import { makeCipher } from "../crypto/cipher.ts"
import type { EncryptionKeys } from "../crypto/encryptionKeys.ts"
import * as keys from "./keys.ts"
import { WrongEncryptionKey } from "./redis/encryptionKeyCheck.ts"
import { RedisClient } from "./redis/redisClient.ts"

/** Names customers by HMAC-SHA256 under a secret (docs/contract/customers.md#ids). */
export const makeCustomerDigests = (secret: Uint8Array): CustomerDigests["Service"] => ({
  of: ({ sellerId, mode }, document) =>
    encodeTail(createHmac("sha256", secret).update(`${sellerId} ${mode} ${document}`).digest()),
})

/**
 * Names customers under the secret of this Redis, which its first start makes. It is sealed with `ENCRYPTION_KEY` and not drawn from
 * it: a rotation of the key seals it anew, so ids stay as they are. Needs keys that were checked.
 */
export const CustomerDigestsLive = (encryptionKeys: EncryptionKeys) =>
  Layer.effect(
    CustomerDigests,
    Effect.gen(function* () {
      const client = yield* RedisClient
      const { seal, open } = makeCipher(encryptionKeys)
      const place = sealedPlaces.customerSecret(keys.customerSecretKey)
      const stored = client.call("HGET", [keys.customerSecretKey, "sealed"])
      if ((yield* stored) === null) {
        const made = seal(randomBytes(32).toString("base64url"), place)
        // Two first starts may meet: both use the secret that was written first.
        yield* client.call("HSETNX", [keys.customerSecretKey, "sealed", made])
      }
      const secret = open(String(yield* stored), place)
      if (secret !== undefined)
        return CustomerDigests.of(makeCustomerDigests(Buffer.from(secret, "base64url")))
      return yield* new WrongEncryptionKey({
        message: `The secret at ${keys.customerSecretKey} opens under no key of ENCRYPTION_KEY: it was altered. Restore it from a backup.`,
      })
    }),
  )
