import { Clock, Effect, Layer } from "effect"
import { ApiKeyStore, type StoredApiKey } from "../../../actors/ports/apiKeyStore.ts"
import { type Mode, modes } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"
import { createApiKey } from "./createApiKey.ts"
import { deleteApiKey } from "./deleteApiKey.ts"
import { rotateApiKey } from "./rotateApiKey.ts"
import { touchApiKeys } from "./touchApiKeys.ts"

const fields = ["id", "mode", "name", "prefix", "created_at", "last_used_at", "revoke_at"] as const

const millisOf = (text: string | null | undefined): number | undefined => (text ? Number(text) : undefined)

const readKey = (reply: Reply | undefined): StoredApiKey | undefined => {
  const [id, mode, name, keyPrefix, createdAt, lastUsedAt, revokeAt] = reply as ReadonlyArray<string | null>
  if (!id) return undefined
  return {
    id,
    mode: mode as Mode,
    name: name ?? "",
    keyPrefix: keyPrefix ?? "",
    createdAt: createdAt ?? "",
    lastUsedAtMillis: millisOf(lastUsedAt),
    revokeAtMillis: millisOf(revokeAt),
  }
}

/** API keys on Redis. */
export const ApiKeyStoreLive = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const remove = deleteApiKey(client)

    const list = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const partition = keys.partitionOf(sellerId)
      const hashes = (yield* client.call("HVALS", [keys.apiKeysKey(sellerId, mode)])) as ReadonlyArray<string>
      const records = yield* client.callAll(
        hashes.map((hash) => ["HMGET", [keys.apiKeyKey(partition, hash), ...fields]] as const),
      )
      const nowMillis = yield* Clock.currentTimeMillis
      return records
        .map(readKey)
        .filter((key) => key !== undefined)
        .filter(({ revokeAtMillis }) => revokeAtMillis === undefined || revokeAtMillis > nowMillis)
        .sort((one, other) => (one.id < other.id ? 1 : -1))
    })

    return ApiKeyStore.of({
      list,
      create: createApiKey(client),
      rotate: rotateApiKey(client),
      delete: (sellerId, mode, keyId) =>
        Effect.map(remove(sellerId, mode, keyId, false), ({ kind }) => ({
          kind: kind === "deleted" ? "deleted" : "missing",
        })),
      expire: (sellerId, mode, keyId) => Effect.asVoid(remove(sellerId, mode, keyId, true)),
      touch: touchApiKeys(client),
      announceRevocation: (sellerId, credentialId) =>
        Effect.asVoid(
          client.callAll(
            modes.map(
              (mode) =>
                ["PUBLISH", [keys.feedChannel({ sellerId, mode }), `revoked ${credentialId}`]] as const,
            ),
          ),
        ),
    })
  }),
)
