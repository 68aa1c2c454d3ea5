import { Clock, Effect, Layer } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import { createEndpoint } from "../endpoints/createEndpoint.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { createSeller } from "./createSeller.ts"
import { discardSeller } from "./discardSeller.ts"
import { findSellers } from "./findSellers.ts"
import { rotatePostbackSecret } from "./rotatePostbackSecret.ts"
import { readHash, readSeller } from "./sellerHash.ts"
import { listSellers } from "./sellerList.ts"
import { updateSeller } from "./updateSeller.ts"

/** Sellers, their postback secrets, keys and endpoints on Redis. */
export const SellerStoreLive = Layer.effect(
  SellerStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const postbackSecret = Effect.fnUntraced(function* (sellerId: string) {
      const reply = yield* client.call("HMGET", [
        keys.sellerKey(sellerId),
        ...["postback_secret", "postback_secret_prefix", "postback_rotated_at", "created_at"],
      ])
      const [secret, prefix, rotatedAt, createdAt] = reply as ReadonlyArray<string | null>
      if (!secret) return undefined
      return { secret, prefix: prefix ?? "", rotatedAt: rotatedAt ?? createdAt ?? "" }
    })

    const principalOf = Effect.fnUntraced(function* (partition: number, keyHash: string) {
      const reply = yield* client.call("HMGET", [
        keys.apiKeyKey(partition, keyHash),
        ...["seller", "mode", "id", "revoke_at"],
      ])
      const [sellerId, mode, keyId, revokeAt] = reply as ReadonlyArray<string | null>
      if (!sellerId || !keyId) return undefined
      if (revokeAt && Number(revokeAt) <= (yield* Clock.currentTimeMillis))
        return { kind: "revoked" } as const
      return { sellerId, mode: mode as Mode, keyId, keyHash }
    })

    const listEndpoints = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const ids = (yield* client.call("ZRANGE", [
        keys.endpointsKey({ sellerId, mode }),
        0,
        -1,
      ])) as ReadonlyArray<string>
      const records = yield* client.callAll(ids.map((id) => ["HGETALL", [keys.destinationKey(id)]] as const))
      return records.map((record, i) => {
        const { secret: _secret, secret_previous: _previous, ...shown } = readHash(record)
        return { id: ids[i] ?? "", ...shown }
      })
    })

    return SellerStore.of({
      create: createSeller(client),
      discard: discardSeller(client),
      get: (id) =>
        Effect.map(client.call("HGETALL", [keys.sellerKey(id)]), (reply) => readSeller(id, readHash(reply))),
      update: updateSeller(client, options),
      find: findSellers(client, options.partitions),
      list: listSellers(client, options.partitions),
      postbackSecret,
      rotatePostbackSecret: rotatePostbackSecret(client),
      principalOf,
      isValid: (principal) =>
        Effect.flatMap(client.call(...apiKeyCheck(principal)), (reply) =>
          Effect.map(Clock.currentTimeMillis, (now) => isKeyValid(principal, reply, now)),
        ),
      createEndpoint: createEndpoint(client),
      listEndpoints,
    })
  }),
)
