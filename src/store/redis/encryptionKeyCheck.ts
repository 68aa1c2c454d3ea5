import { Effect, Layer, Schema } from "effect"
import { DocumentSealer } from "../../../actors/ports/documentSealer.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "./redisClient.ts"

/** `ENCRYPTION_KEY` is another than the one that sealed what Redis holds. */
export class WrongEncryptionKey extends Schema.TaggedError<WrongEncryptionKey>()("WrongEncryptionKey", {
  message: Schema.String,
}) {}

const plain = "corrente"

/**
 * Compares `ENCRYPTION_KEY` with the one this Redis was first used with: with another, secrets would not open, and
 * new ones would be sealed so that the others cannot open them (decisions 4). The first start leaves the sample.
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
