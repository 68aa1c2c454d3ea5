import { Clock, Effect, Layer } from "effect"
import {
  type NewApiKey,
  type PostbackSecret,
  type SellerChange,
  type SellerListQuery,
  type SellerPage,
  SellerStore,
  type StoredSeller,
} from "../../actors/ports/sellerStore.ts"
import { scopeBits } from "../../actors/values/apiKeyAccess.ts"
import { isListed, nameTermsOf } from "../../actors/values/sellerLookups.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { newestOfPartitions } from "./allPartitions.ts"
import { apiKeyToWrite, readAccess } from "./apiKeys.ts"
import { createEndpoint } from "./endpoints.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readHash, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid } from "./requests.ts"
import { findSellers, foundByOf } from "./sellerLookup.ts"
import { changeableFields, postbackFields, readSeller } from "./sellerRecord.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** The keys of a seller and of its API keys. */
const keysWithApiKeys = (sellerId: string, keyHashes: ReadonlyArray<string>) => {
  const partition = keys.partitionOf(sellerId)
  return {
    seller: keys.sellerKey(sellerId),
    sellers: keys.sellersKey(partition),
    liveApiKeys: keys.apiKeysKey(sellerId, "live"),
    testApiKeys: keys.apiKeysKey(sellerId, "test"),
    records: keyHashes.map((hash) => keys.apiKeyKey(partition, hash)),
  }
}

const createFunction = luaFunction("sellers.create", {
  keys: ["seller", "sellers", "liveApiKeys", "testApiKeys", "...records"],
})

/** Creates a seller with its API keys and postback secret: `created`, or refused as `exists`. */
export const createSeller =
  (client: Client) =>
  (
    seller: StoredSeller,
    apiKeys: ReadonlyArray<NewApiKey>,
    postback: PostbackSecret | undefined,
    documentTerm?: string,
  ) => {
    const { id, userId, version, createdAt } = seller
    const hashes = apiKeys.map(({ keyHash }) => keyHash)
    const call = callFunction(client, createFunction, keysWithApiKeys(id, hashes), {
      id,
      fields: {
        user: userId,
        version,
        created_at: createdAt,
        ...changeableFields(seller),
        found_by: foundByOf(nameTermsOf(seller), documentTerm),
        ...(postback === undefined ? {} : postbackFields(postback)),
      },
      apiKeys: apiKeys.map((key) => apiKeyToWrite(id, key)),
    })
    return Effect.flatMap(call, readKind(createFunction, { created: "created", exists: "exists" }))
  }

const discardFunction = luaFunction("sellers.discard", {
  keys: ["seller", "sellers", "liveApiKeys", "testApiKeys", "...records"],
})

/** Deletes a seller just created whose user could not be. */
const discard = (client: Client) => (id: string, keyHashes: ReadonlyArray<string>) =>
  Effect.asVoid(callFunction(client, discardFunction, keysWithApiKeys(id, keyHashes), { id }))

const updateFunction = luaFunction("sellers.update", {
  keys: [
    "seller",
    "due",
    "liveEvents",
    "liveFeed",
    "liveSubscriptions",
    "testEvents",
    "testFeed",
    "testSubscriptions",
  ],
  texts: ["eventData"],
  audited: { replies: ["updated"], id: "id" },
})

/** Changes a seller and appends the event to both feeds: `updated`, or refused as `stale` or `noSeller`. */
const update =
  (client: Client, { retentionMillis }: StoreOptions["Service"]) =>
  ({ seller, event, documentTerm }: SellerChange) => {
    const { id, version } = seller
    const live = { sellerId: id, mode: "live" } as const
    const test = { sellerId: id, mode: "test" } as const
    const call = callFunction(
      client,
      updateFunction,
      {
        seller: keys.sellerKey(id),
        due: keys.dueKey(keys.tagOf(id)),
        liveEvents: keys.eventsKey(live),
        liveFeed: keys.feedKey(live),
        liveSubscriptions: keys.subscriptionsKey(live),
        testEvents: keys.eventsKey(test),
        testFeed: keys.feedKey(test),
        testSubscriptions: keys.subscriptionsKey(test),
      },
      {
        id,
        version,
        fields: {
          ...changeableFields(seller),
          version: version + 1,
          found_by: foundByOf(nameTermsOf(seller), documentTerm),
        },
        eventType: event.type,
        retentionMillis,
      },
      { eventData: event.data },
    )
    return Effect.flatMap(
      call,
      readKind(updateFunction, { updated: "updated", stale: "stale", no_seller: "noSeller" }),
    )
  }

const rotateFunction = luaFunction("sellers.rotate_postback_secret", {
  keys: ["seller"],
  audited: { replies: ["rotated"] },
})

/** Replaces a seller's postback secret: `rotated`, or refused as `noSeller`. */
const rotatePostbackSecret = (client: Client) => (sellerId: string, secret: PostbackSecret) =>
  Effect.flatMap(
    callFunction(
      client,
      rotateFunction,
      { seller: keys.sellerKey(sellerId) },
      { fields: postbackFields(secret) },
    ),
    readKind(rotateFunction, { rotated: "rotated", no_seller: "noSeller" }),
  )

const indexOfPartition = (_tag: string, partition: number): string => keys.sellersKey(partition)

/**
 * An operator's list of sellers. Each round reads the newest ids of every partition's index and one page of sellers. A
 * filtered page that reaches the scan limit ends early, with a cursor to continue from.
 */
export const listSellers =
  (client: Client, partitions: number) =>
  (query: SellerListQuery): Effect.Effect<SellerPage, StoreUnavailable> =>
    Effect.gen(function* () {
      const sellers: Array<StoredSeller> = []
      let position = query.beforeId
      for (let looked = 0; looked < limits.filterScanEntriesMax; looked += query.limit) {
        const ids = yield* newestOfPartitions(client, partitions, indexOfPartition, position, query.limit + 1)
        const batch = ids.slice(0, query.limit)
        const records = yield* client.callAll(batch.map((id) => ["HGETALL", [keys.sellerKey(id)]] as const))
        for (const [i, id] of batch.entries()) {
          position = id
          const seller = readSeller(id, readHash(records[i]))
          if (seller === undefined || !isListed(seller, query)) continue
          sellers.push(seller)
          const isLast = i === ids.length - 1
          if (sellers.length === query.limit) return { sellers, nextBeforeId: isLast ? undefined : id }
        }
        if (ids.length <= query.limit) return { sellers, nextBeforeId: undefined }
      }
      return { sellers, nextBeforeId: position }
    })

/** Sellers, their postback secrets, keys and endpoints on Redis. */
export const SellerStoreLive = Layer.effect(
  SellerStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const postbackSecret = Effect.fnUntraced(function* (sellerId: string) {
      const reply = yield* client.call("HMGET", [
        keys.sellerKey(sellerId),
        ...["postback_secret", "postback_secret_prefix", "postback_rotated_at"],
      ])
      const [secret, prefix, rotatedAt] = reply as ReadonlyArray<string | null>
      return secret ? { secret, prefix: prefix ?? "", rotatedAt: rotatedAt ?? "" } : undefined
    })

    const principalOf = Effect.fnUntraced(function* (partition: number, keyHash: string) {
      const reply = yield* client.call("HMGET", [
        keys.apiKeyKey(partition, keyHash),
        ...["seller", "mode", "id", "revoke_at", "scopes", "allowed_ips"],
      ])
      const [sellerId, mode, keyId, revokeAt, scopes, allowedIps] = reply as ReadonlyArray<string | null>
      if (!sellerId || !keyId) return undefined
      if (revokeAt && Number(revokeAt) <= (yield* Clock.currentTimeMillis))
        return { kind: "revoked" } as const
      const access = readAccess(scopes, allowedIps)
      return {
        sellerId,
        mode: mode as Mode,
        keyId,
        keyHash,
        scopeBits: scopeBits(access.scopes),
        allowedIps: access.allowedIps,
      }
    })

    const listEndpoints = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const ids = (yield* client.call("ZRANGE", [
        keys.endpointsKey({ sellerId, mode }),
        0,
        -1,
      ])) as ReadonlyArray<string>
      const records = yield* client.callAll(ids.map((id) => ["HGETALL", [keys.destinationKey(id)]] as const))
      return records.map((record, i) => {
        const { secret: _secret, secret_previous: _previous, url_password: _, ...shown } = readHash(record)
        return { id: ids[i] ?? "", ...shown }
      })
    })

    return SellerStore.of({
      create: createSeller(client),
      discard: discard(client),
      get: (id) =>
        Effect.map(client.call("HGETALL", [keys.sellerKey(id)]), (reply) => readSeller(id, readHash(reply))),
      update: update(client, options),
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
