import { Clock, Effect, Layer } from "effect"
import { PixKeyStore } from "../../../actors/ports/pixKeyStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import * as keys from "../keys.ts"
import { newestOfPartitions } from "../partitions/newestOfPartitions.ts"
import { isOfStatus, readListed } from "../readListed.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { readHash } from "../sellers/sellerHash.ts"
import { StoreOptions } from "../storeOptions.ts"
import { createPixKey } from "./createPixKey.ts"
import { readPixKey } from "./pixKeyHash.ts"
import { transitionPixKey } from "./transitionPixKey.ts"

/** The statuses that a seller's list shows. */
const listedStatuses = pixKeyStatuses.filter((status) => status !== "removed")

const readMany = (client: RedisClient["Service"], ids: ReadonlyArray<string>) =>
  Effect.map(client.callAll(ids.map((id) => ["HGETALL", [keys.pixKeyKey(id)]] as const)), (records) =>
    records.flatMap((record, i) => readPixKey(ids[i] ?? "", readHash(record)) ?? []),
  )

/** PIX keys on Redis. */
export const PixKeyStoreLive = Layer.effect(
  PixKeyStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const list = Effect.fnUntraced(function* (principal: Principal) {
      const { sellerId, mode } = principal
      const indexes = listedStatuses.map((status) => keys.pixKeysKey(sellerId, mode, status))
      const [check, ids] = yield* client.callAll([
        apiKeyCheck(principal),
        // One step, so that a key that changes status is found once; all scores are 0, so ids are sorted.
        ["ZUNION", [indexes.length, ...indexes]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      const found = yield* readMany(client, ids as ReadonlyArray<string>)
      // A key may have been removed since its id was read.
      return found.filter(({ status }) => status !== "removed")
    })

    return PixKeyStore.of({
      create: createPixKey(client),
      transition: transitionPixKey(client),
      load: (id) =>
        Effect.map(client.call("HGETALL", [keys.pixKeyKey(id)]), (reply) => readPixKey(id, readHash(reply))),
      list,
      listForOperator: ({ status, mode, beforeId, limit }) =>
        newestOfPartitions(
          client,
          options.partitions,
          (tag) => keys.partitionPixKeysKey(tag, mode, status),
          beforeId,
          limit,
        ).pipe(
          Effect.flatMap((ids) => readMany(client, ids)),
          (read) => readListed(isOfStatus(status), read),
        ),
    })
  }),
)
