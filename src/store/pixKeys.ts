import { Clock, Effect, Layer } from "effect"
import { PixKeyStore, type PixKeyTransition, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type PixKeyStatus, type PixKeyType, pixKeyStatuses } from "../../schema/resources/pixKey.ts"
import { newestOfPartitions } from "./allPartitions.ts"
import * as keys from "./keys.ts"
import { isOfStatus, readListed } from "./readListed.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readHash, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid } from "./requests.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** The statuses that a seller's list shows. */
const listedStatuses = pixKeyStatuses.filter((status) => status !== "removed")

/** Reads a PIX key's hash; undefined if there is none. */
export const readPixKey = (id: string, record: Readonly<Record<string, string>>): StoredPixKey | undefined =>
  record.status === undefined
    ? undefined
    : {
        id,
        sellerId: record.seller ?? "",
        mode: record.mode as Mode,
        type: record.type as PixKeyType,
        value: record.value ?? "",
        valueHash: record.value_hash ?? "",
        maskedValue: record.masked ?? "",
        status: record.status as PixKeyStatus,
        version: Number(record.version),
        createdAt: record.created_at ?? "",
        verifiedAt: record.verified_at || undefined,
      }

const createFunction = luaFunction("pix_keys.create", {
  keys: ["seller", "pixKey", "values", "index", "statusIndex", "partitionIndex"],
  audited: { replies: ["created"], id: "id" },
})

/** Registers a PIX key: `created`, or refused as `exists`, `limit` or `noSeller`. */
const create =
  (client: Client) =>
  (pixKey: StoredPixKey, olderHashes: ReadonlyArray<string> = []) => {
    const { id, sellerId, mode, type, value, valueHash, status, createdAt, verifiedAt } = pixKey
    const call = callFunction(
      client,
      createFunction,
      {
        seller: keys.sellerKey(sellerId),
        pixKey: keys.pixKeyKey(id),
        values: keys.pixKeyValuesKey(pixKey),
        index: keys.pixKeysKey(sellerId, mode),
        statusIndex: keys.pixKeysKey(sellerId, mode, status),
        partitionIndex: keys.partitionPixKeysKey(keys.tagOf(sellerId), mode, status),
      },
      {
        id,
        valueHash,
        olderHashes,
        keysMax: limits.pixKeysPerModeMax,
        fields: {
          seller: sellerId,
          mode,
          type,
          value,
          value_hash: valueHash,
          masked: pixKey.maskedValue,
          status,
          version: 1,
          created_at: createdAt,
          verified_at: verifiedAt ?? "",
        },
      },
    )
    return Effect.flatMap(
      call,
      readKind(createFunction, {
        created: "created",
        exists: "exists",
        limit: "limit",
        no_seller: "noSeller",
      }),
    )
  }

const transitionFunction = luaFunction("pix_keys.transition", {
  keys: ["pixKey", "values", "oldIndex", "newIndex", "oldPartitionIndex", "newPartitionIndex"],
  audited: { replies: ["applied"], id: "id" },
})

/** Moves a PIX key to another status: `applied`, or refused as `stale` or `missing`. */
const transition =
  (client: Client) =>
  ({ pixKey, to, verifiedAt }: PixKeyTransition) => {
    const { id, sellerId, mode, status: from, version } = pixKey
    const tag = keys.tagOf(sellerId)
    const call = callFunction(
      client,
      transitionFunction,
      {
        pixKey: keys.pixKeyKey(id),
        values: keys.pixKeyValuesKey(pixKey),
        oldIndex: keys.pixKeysKey(sellerId, mode, from),
        newIndex: keys.pixKeysKey(sellerId, mode, to),
        oldPartitionIndex: keys.partitionPixKeysKey(tag, mode, from),
        newPartitionIndex: keys.partitionPixKeysKey(tag, mode, to),
      },
      {
        id,
        version,
        oldStatus: from,
        newStatus: to,
        verifiedAt,
        isOver: to === "refused" || to === "removed",
      },
    )
    return Effect.flatMap(
      call,
      readKind(transitionFunction, { applied: "applied", stale: "stale", missing: "missing" }),
    )
  }

const readMany = (client: Client, ids: ReadonlyArray<string>) =>
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
      create: create(client),
      transition: transition(client),
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
