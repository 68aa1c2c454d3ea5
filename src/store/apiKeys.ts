import { Clock, Effect, Layer } from "effect"
import { ApiKeyStore, type KeyUse, type StoredApiKey } from "../../actors/ports/apiKeyStore.ts"
import type { NewApiKey } from "../../actors/ports/sellerStore.ts"
import type { ApiKeyAccess } from "../../actors/values/apiKeyAccess.ts"
import { revokeTimerName } from "../../actors/values/revokeTimer.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { ApiKeyScope } from "../../schema/apiKeyScopes.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const millisOf = (text: string | null | undefined): number | undefined => (text ? Number(text) : undefined)

const shownFields = [
  "id",
  "mode",
  "name",
  "prefix",
  "created_at",
  "last_used_at",
  "revoke_at",
  "scopes",
  "allowed_ips",
  "last_used_ip",
] as const

const wordsIn = (text: string | null | undefined): ReadonlyArray<string> => (text ? text.split(" ") : [])

/** Reads the fields `scopes` and `allowed_ips` of a key's record. */
export const readAccess = (
  scopes: string | null | undefined,
  allowedIps: string | null | undefined,
): ApiKeyAccess => ({
  scopes: wordsIn(scopes) as ReadonlyArray<ApiKeyScope>,
  allowedIps: wordsIn(allowedIps),
})

const readKey = (reply: Reply | undefined): StoredApiKey | undefined => {
  const [id, mode, name, keyPrefix, createdAt, ...more] = reply as ReadonlyArray<string | null>
  const [lastUsedAt, revokeAt, scopes, allowedIps, lastUsedIp] = more
  if (!id) return undefined
  return {
    id,
    mode: mode as Mode,
    name: name ?? "",
    keyPrefix: keyPrefix ?? "",
    createdAt: createdAt ?? "",
    lastUsedAtMillis: millisOf(lastUsedAt),
    lastUsedIp: lastUsedIp || undefined,
    revokeAtMillis: millisOf(revokeAt),
    ...readAccess(scopes, allowedIps),
  }
}

/** A new key as `api_keys.write` takes it. */
export const apiKeyToWrite = (sellerId: string, key: NewApiKey) => ({
  id: key.id,
  hash: key.keyHash,
  fields: {
    seller: sellerId,
    id: key.id,
    mode: key.mode,
    name: key.name,
    prefix: key.keyPrefix,
    scopes: key.scopes.join(" "),
    allowed_ips: key.allowedIps.join(" "),
    created_at: key.createdAt,
    revoke_at: "",
  },
})

const createFunction = luaFunction("api_keys.create", {
  keys: ["seller", "index", "record"],
  audited: { replies: ["created"], id: "id" },
})

/** Adds an API key: `created`, or refused as `limit`, `sellerNotAllowed`, `kycRequired` or `noSeller`. */
const create = (client: Client) => (sellerId: string, key: NewApiKey) => {
  const call = callFunction(
    client,
    createFunction,
    {
      seller: keys.sellerKey(sellerId),
      index: keys.apiKeysKey(sellerId, key.mode),
      record: keys.apiKeyKey(keys.partitionOf(sellerId), key.keyHash),
    },
    { ...apiKeyToWrite(sellerId, key), mode: key.mode, keysMax: limits.apiKeysPerModeMax },
  )
  return Effect.flatMap(
    call,
    readKind(createFunction, {
      created: "created",
      limit: "limit",
      seller_not_allowed: "sellerNotAllowed",
      kyc_required: "kycRequired",
      no_seller: "noSeller",
    }),
  )
}

const rotateFunction = luaFunction("api_keys.rotate", {
  keys: ["index", "record", "timers", "seller"],
  audited: { replies: ["rotated"], id: "oldId" },
})

type Rotation =
  | { readonly kind: "rotated"; readonly revokeAtMillis: number }
  | { readonly kind: "missing" | "sellerNotAllowed" | "scheduled" }

/** Replaces an API key: `rotated`, or refused as `missing`, `sellerNotAllowed` or `scheduled` (already being revoked). */
const rotate = (client: Client) => (sellerId: string, oldKeyId: string, key: NewApiKey) => {
  const call = callFunction(
    client,
    rotateFunction,
    {
      index: keys.apiKeysKey(sellerId, key.mode),
      record: keys.apiKeyKey(keys.partitionOf(sellerId), key.keyHash),
      timers: keys.timersKey(keys.tagOf(sellerId)),
      seller: keys.sellerKey(sellerId),
    },
    {
      oldId: oldKeyId,
      graceMillis: limits.rotationGraceMillis,
      timer: revokeTimerName(sellerId, key.mode),
      apiKey: apiKeyToWrite(sellerId, key),
    },
  )
  return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
    const [kind, revokeAt] = words(reply)
    if (kind === "rotated") return Effect.succeed({ kind, revokeAtMillis: Number(revokeAt) })
    if (kind === "missing" || kind === "scheduled") return Effect.succeed({ kind })
    if (kind === "seller_not_allowed") return Effect.succeed({ kind: "sellerNotAllowed" })
    return Effect.fail(unexpectedReply(rotateFunction, reply))
  })
}

const deleteFunction = luaFunction("api_keys.delete", {
  keys: ["index", "timers"],
  audited: { replies: ["deleted"], id: "id" },
})

/** Deletes an API key: `deleted`, or refused as `missing`, or as `notYet` if its revocation time should have come and has not. */
const remove = (client: Client) => (sellerId: string, mode: Mode, id: string, isOnlyIfDue: boolean) => {
  const call = callFunction(
    client,
    deleteFunction,
    { index: keys.apiKeysKey(sellerId, mode), timers: keys.timersKey(keys.tagOf(sellerId)) },
    { id, sellerId, mode, timer: revokeTimerName(sellerId, mode), isOnlyIfDue },
  )
  return Effect.flatMap(
    call,
    readKind(deleteFunction, { deleted: "deleted", missing: "missing", not_yet: "notYet" }),
  )
}

const touchFunction = luaFunction("api_keys.touch", { keys: ["...records"] })

/** Records when and from where API keys of a partition were last used. */
const touch = (client: Client) => (partition: number, uses: ReadonlyArray<KeyUse>) =>
  Effect.asVoid(
    callFunction(
      client,
      touchFunction,
      { records: uses.map(({ keyHash }) => keys.apiKeyKey(partition, keyHash)) },
      {
        usedAtMillis: uses.map(({ usedAtMillis }) => usedAtMillis),
        ipAddresses: uses.map(({ ipAddress }) => ipAddress ?? ""),
      },
    ),
  )

const list = (client: Client) =>
  Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
    const partition = keys.partitionOf(sellerId)
    const hashes = (yield* client.call("HVALS", [keys.apiKeysKey(sellerId, mode)])) as ReadonlyArray<string>
    const records = yield* client.callAll(
      hashes.map((hash) => ["HMGET", [keys.apiKeyKey(partition, hash), ...shownFields]] as const),
    )
    const nowMillis = yield* Clock.currentTimeMillis
    return records
      .map(readKey)
      .filter((key) => key !== undefined)
      .filter(({ revokeAtMillis }) => revokeAtMillis === undefined || revokeAtMillis > nowMillis)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
  })

/** API keys on Redis. */
export const ApiKeyStoreLive = Layer.effect(
  ApiKeyStore,
  Effect.map(RedisClient, (client) =>
    ApiKeyStore.of({
      list: list(client),
      create: create(client),
      rotate: rotate(client),
      delete: (sellerId, mode, keyId) =>
        Effect.map(remove(client)(sellerId, mode, keyId, false), ({ kind }) => ({
          kind: kind === "deleted" ? "deleted" : "missing",
        })),
      expire: (sellerId, mode, keyId) => Effect.asVoid(remove(client)(sellerId, mode, keyId, true)),
      touch: touch(client),
      announceRevocation: (sellerId, credentialId) =>
        Effect.asVoid(
          client.callAll(
            modes.map(
              (mode) =>
                ["PUBLISH", [keys.feedChannel({ sellerId, mode }), `revoked ${credentialId}`]] as const,
            ),
          ),
        ),
    }),
  ),
)
