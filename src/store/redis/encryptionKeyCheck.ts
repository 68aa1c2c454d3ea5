import { Effect, Layer, Schema } from "effect"
import { DocumentSealer } from "../../../actors/ports/documentSealer.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "./redisClient.ts"

/** `ENCRYPTION_KEY` is not the key that this Redis' secrets are sealed with. */
export class WrongEncryptionKey extends Schema.TaggedError<WrongEncryptionKey>()("WrongEncryptionKey", {
  message: Schema.String,
}) {}

const plain = "corrente"

/**
 * Fails with {@link WrongEncryptionKey} unless `ENCRYPTION_KEY` opens the sample that the first start sealed: another key opens
 * no stored secret, and other processes could not open new ones (docs/decisions/0059-ciphertext-at-rest.md).
 */
export const EncryptionKeyCheckLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* RedisClient
    const { seal } = yield* DocumentSealer
    const { open } = yield* SecretOpener
    const sample = yield* client.call("SET", [keys.encryptionSampleKey, seal(plain), "NX", "GET"])
    if (sample === null || open(String(sample)) === plain) return
    return yield* new WrongEncryptionKey({
      message:
        "ENCRYPTION_KEY is not the key that this Redis' secrets are sealed with. Start with that key (in development it is " +
        "the file encryption.key in the DATA_DIR of the first start), or with another Redis.",
    })
  }),
)
