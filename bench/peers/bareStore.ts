import { hash } from "node:crypto"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { SealedPlace } from "../../actors/values/sealedPlaces.ts"
import { parseApiKey } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { CipherLive, makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { Cursors, CursorsLive } from "../../src/http/handlers/cursors.ts"
import * as keys from "../../src/store/keys.ts"
import { emailDigest } from "../../src/store/series/chargeLookup.ts"
import "../../src/store/redisStore.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import type { BareCharge } from "./bareCharge.ts"

const eventRetentionMillis = 30 * 24 * 60 * 60 * 1_000

/** Everything about an API key that never changes, with the key names that follow from it. */
export interface BareCaller {
  readonly sellerId: string
  readonly partition: number
  /** The record of the API key. */
  readonly apiKey: string
  readonly transactions: string
  /** KEYS of a commit before and after the two that depend on the request. */
  readonly keysBefore: ReadonlyArray<string>
  readonly keysAfter: ReadonlyArray<string>
  readonly idempotencyPrefix: string
  readonly argumentsAfter: ReadonlyArray<string | number>
  /** What list cursors are bound to. */
  readonly principal: Principal
}

/** A response; `body` is JSON. */
export interface BareAnswer {
  readonly status: number
  readonly body: string
  /** A replay of an earlier response under the same Idempotency-Key. */
  readonly isReplay: boolean
}

/** An error, with a minimal body. */
export const refuse = (status: number): BareAnswer => ({
  status,
  body: JSON.stringify({ error: status }),
  isReplay: false,
})

const succeed = (status: number, body: string): BareAnswer => ({ status, body, isReplay: false })

const refusals: Readonly<Record<string, number>> = {
  key_invalid: 401,
  seller_not_allowed: 403,
  in_progress: 409,
  mismatch: 422,
}

const makeCaller = (apiKey: string, keyHash: string, sellerId: string, keyId: string): BareCaller => {
  const mode = "test"
  const feed = { sellerId, mode } as const
  const tag = keys.tagOf(sellerId)
  const transactions = keys.transactionsKey(sellerId, mode)
  return {
    sellerId,
    partition: keys.partitionOf(sellerId),
    apiKey,
    transactions,
    keysBefore: [apiKey, keys.sellerKey(sellerId)],
    keysAfter: [
      transactions,
      keys.transactionsKey(sellerId, mode, "pending"),
      keys.eventsKey(feed),
      keys.feedKey(feed),
      keys.subscriptionsKey(feed),
      keys.timersKey(tag),
      keys.dueKey(tag),
    ],
    idempotencyPrefix: keys.idempotencyKey(sellerId, mode, "transactions", ""),
    argumentsAfter: [
      limits.idempotencyRetentionMillis,
      eventRetentionMillis,
      keys.feedChannel(feed),
      keys.wakeChannel(tag),
      keys.queuePrefix(tag),
    ],
    principal: { sellerId, mode, keyId, keyHash },
  }
}

/** The checks, commits and reads that the service makes in Redis, and nothing else. */
export interface BareStore {
  /** Encrypts a customer's document. */
  readonly seal: (document: string, place: SealedPlace) => string
  /** The owner of an `Authorization` header's key, if it was seen before; `findCaller` looks up others. */
  readonly knownCaller: (authorization: string) => BareCaller | undefined
  readonly findCaller: (authorization: string) => Promise<BareCaller | undefined>
  /** Calls the service's own commit function: 201, a replay, or a refusal. */
  readonly create: (
    caller: BareCaller,
    idempotencyKey: string,
    rawBody: Buffer,
    charge: BareCharge,
  ) => Promise<BareAnswer>
  readonly get: (caller: BareCaller, id: string) => Promise<BareAnswer>
  /** The newest charges, at most `limit`. */
  readonly list: (caller: BareCaller, limit: number) => Promise<BareAnswer>
  /** Closes its connections. */
  readonly close: () => void
}

const isValid = (caller: BareCaller, record: ReadonlyArray<string | null>): boolean => {
  const [sellerId, revokeAt] = record
  return sellerId === caller.sellerId && (!revokeAt || Number(revokeAt) > Date.now())
}

type Restore = (document: string) => string

/** The FCALL that commits a charge. */
export const commitArguments = (
  caller: BareCaller,
  idempotencyKey: string,
  rawBody: Buffer,
  charge: BareCharge,
): Array<string | number> => [
  ...["corrente_create_transaction", 11],
  ...caller.keysBefore,
  caller.idempotencyPrefix + idempotencyKey,
  keys.transactionKey(charge.id),
  ...caller.keysAfter,
  ...[caller.sellerId, "test", charge.id, "pending", charge.document, "transaction.created", "1"],
  ...[hash("sha256", rawBody, "base64url"), charge.executionId],
  ...caller.argumentsAfter,
  charge.timers.length / 2,
  ...charge.timers,
  // No acquirer account.
  "",
  emailDigest(charge.document),
]

/** The first response to a request, or that of its Idempotency-Key. */
const makeCreate =
  (redis: Redis, restore: Restore): BareStore["create"] =>
  async (caller, idempotencyKey, rawBody, charge) => {
    const commit = commitArguments(caller, idempotencyKey, rawBody, charge)
    const reply = (await redis.call("FCALL", ...commit)) as ReadonlyArray<string>
    const [outcome = "", savedStatus, savedBody = ""] = reply
    if (outcome === "created") return succeed(201, charge.answer)
    if (outcome !== "replay") return refuse(refusals[outcome] ?? 500)
    return { status: Number(savedStatus), body: restore(savedBody), isReplay: true }
  }

const makeGet =
  (redis: Redis, restore: Restore): BareStore["get"] =>
  async (caller, id) => {
    const [record, [sellerId, mode, , , document]] = await Promise.all([
      redis.hmget(caller.apiKey, "seller", "revoke_at"),
      redis.hmget(keys.transactionKey(id), "seller", "mode", "status", "version", "document"),
    ])
    if (!isValid(caller, record)) return refuse(401)
    if (sellerId !== caller.sellerId || mode !== "test" || !document) return refuse(404)
    return succeed(200, restore(document))
  }

/** Reads ids first, then the documents in one pipeline; one extra id shows whether there is a next page. */
const makeList =
  (redis: Redis, restore: Restore, cursors: Cursors["Service"]): BareStore["list"] =>
  async (caller, limit) => {
    const [record, ids] = await Promise.all([
      redis.hmget(caller.apiKey, "seller", "revoke_at"),
      redis.zrange(caller.transactions, "+", "-", "BYLEX", "REV", "LIMIT", 0, limit + 1),
    ])
    if (!isValid(caller, record)) return refuse(401)
    const shown = ids.slice(0, limit)
    const pipeline = redis.pipeline()
    for (const id of shown) pipeline.hget(keys.transactionKey(id), "document")
    const found = (await pipeline.exec()) ?? []
    const items = found.map(([error, document]) => {
      if (error !== null) throw error
      return restore(document as string)
    })
    const scope = { list: "transactions", principal: caller.principal, filters: {} }
    const lastId = ids.length > limit ? shown.at(-1) : undefined
    const cursor = lastId === undefined ? "null" : `"${cursors.encode(scope, lastId)}"`
    return succeed(200, `{"data":[${items.join(",")}],"next_cursor":${cursor}}`)
  }

/** Connects to Redis and loads the functions. `encryptionKey` has 32 bytes. */
export const openBareStore = async (redisUrl: string, encryptionKey: Uint8Array): Promise<BareStore> => {
  // Auto-pipelining was tried both ways: with it, Redis spends a third less on commits; without it, reads cost less in
  // this process, which is their limit. The callers that use either share nothing else, so each has its own connection.
  const writes = new Redis(redisUrl, { enableAutoPipelining: true, protocol: 2 })
  const reads = new Redis(redisUrl, { enableAutoPipelining: false, protocol: 2 })
  const { restore } = Effect.runSync(Effect.provide(DocumentCipher, CipherLive(plainKey(encryptionKey))))
  const cursors = Effect.runSync(Effect.provide(Cursors, CursorsLive(plainKey(encryptionKey))))
  const callers = new Map<string, BareCaller>()
  await writes.function("LOAD", "REPLACE", library.source)

  const findCaller = async (authorization: string): Promise<BareCaller | undefined> => {
    const text = authorization.slice("Bearer ".length)
    const parsed = parseApiKey(text)
    if (parsed === undefined) return undefined
    const keyHash = hash("sha256", text, "base64url")
    const apiKey = keys.apiKeyKey(parsed.partition, keyHash)
    const [sellerId, mode, keyId] = await reads.hmget(apiKey, "seller", "mode", "id")
    if (!sellerId || mode !== "test") return undefined
    const caller = makeCaller(apiKey, keyHash, sellerId, keyId ?? "")
    callers.set(authorization, caller)
    return caller
  }

  return {
    seal: makeCipher(plainKey(encryptionKey)).seal,
    knownCaller: (authorization) => callers.get(authorization),
    findCaller,
    create: makeCreate(writes, restore),
    get: makeGet(reads, restore),
    list: makeList(reads, restore, cursors),
    close: () => {
      writes.disconnect()
      reads.disconnect()
    },
  }
}
