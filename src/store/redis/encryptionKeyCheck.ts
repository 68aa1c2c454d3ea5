import { Effect, Layer, Schema } from "effect"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { makeCipher } from "../../crypto/cipher.ts"
import { type EncryptionKeys, plainKeyId } from "../../crypto/encryptionKeys.ts"
import * as keys from "../keys.ts"
import { liveProcessKeys } from "../processes.ts"
import { RedisClient } from "./redisClient.ts"
import { readHash } from "./reply.ts"

/** `ENCRYPTION_KEY` lacks a key that this Redis' secrets are sealed with, or has another one under its id. */
export class WrongEncryptionKey extends Schema.TaggedError<WrongEncryptionKey>()("WrongEncryptionKey", {
  message: Schema.String,
}) {}

const plain = "corrente"

const isAnotherKey = (keyId: string): WrongEncryptionKey =>
  new WrongEncryptionKey({
    message:
      `${keyId === plainKeyId ? "ENCRYPTION_KEY" : `The key '${keyId}' of ENCRYPTION_KEY`} is not the key that this Redis' secrets are ` +
      "sealed with. Start with that key (in development it is the file encryption.key in the DATA_DIR of the first start), or with another Redis.",
  })

const isMissing = (keyId: string): WrongEncryptionKey =>
  new WrongEncryptionKey({
    message:
      `This Redis has secrets that are sealed with the key '${keyId}', which ENCRYPTION_KEY does not name. Add it, behind the newest one: ` +
      "`ops keys show` says what still uses it, and `ops keys rotate` lets go of it when nothing does.",
  })

const isUnknownTo = (keyId: string, processes: number): WrongEncryptionKey =>
  new WrongEncryptionKey({
    message:
      `${processes === 1 ? "A running process does" : `${processes} running processes do`} not know the key '${keyId}' yet, and could not ` +
      "read what it encrypts. Restart them with it behind their newest key, then make it the newest (docs/operations.md#key-rotation). " +
      "If none is running, one was killed within the last seconds: try again.",
  })

/** What is wrong with the keys, if anything, by the samples that are stored. */
const refusalOf = (encryptionKeys: EncryptionKeys, samples: Readonly<Record<string, string>>) => {
  const { open } = makeCipher(encryptionKeys)
  const ids = new Set(encryptionKeys.map(({ id }) => id))
  for (const [keyId, sample] of Object.entries(samples)) {
    if (!ids.has(keyId)) return isMissing(keyId)
    if (open(sample, sealedPlaces.keySample(keyId)) !== plain) return isAnotherKey(keyId)
  }
  return undefined
}

/**
 * Fails with {@link WrongEncryptionKey} unless `ENCRYPTION_KEY` has every key that this Redis was used with and that nobody has let go
 * of: other keys open no stored secret, and other processes could not open new ones
 * (docs/decisions/0105-ciphertext-names-its-key-and-its-place.md). A newest key that is new must be known to all live processes; its sample is stored before anything is sealed with it.
 */
export const EncryptionKeyCheckLive = (encryptionKeys: EncryptionKeys) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const client = yield* RedisClient
      const [{ id }] = encryptionKeys
      const samples = Effect.map(client.call("HGETALL", [keys.encryptionKeysKey]), readHash)
      const known = yield* samples
      const refusal = refusalOf(encryptionKeys, known)
      if (refusal !== undefined) return yield* refusal
      if (known[id] !== undefined) return
      const others = (yield* liveProcessKeys(client)).filter((ids) => !ids.includes(id))
      if (others.length > 0) return yield* isUnknownTo(id, others.length)
      const sample = makeCipher(encryptionKeys).seal(plain, sealedPlaces.keySample(id))
      const added = yield* client.call("HSETNX", [keys.encryptionKeysKey, id, sample])
      // Two first starts with different keys may have met: the later one gives way.
      const met = refusalOf(encryptionKeys, yield* samples)
      if (met === undefined) return
      if (added === 1) yield* client.call("HDEL", [keys.encryptionKeysKey, id])
      return yield* met
    }),
  )
