import { hash } from "node:crypto"
import { Effect } from "effect"
import { Redis } from "ioredis"
import type { Principal } from "../../actors/values/principal.ts"
import { parseApiKey } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { Cursors, CursorsLive } from "../../src/http/handlers/cursors.ts"
import { createdTermsOf } from "../../src/store/chargeLookup.ts"
import * as keys from "../../src/store/keys.ts"
import "../../src/store/redisStore.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import type { BareCharge } from "./bareCharge.ts"
import { makeOpenDocument } from "./openDocument.ts"
import { retentionMillis } from "./peerQueue.ts"

/** A response; `body` is JSON. */
export interface BareAnswer {
  readonly status: number
  readonly body: string
  /** A replay of an earlier response under the same Idempotency-Key. */
  readonly isReplay: boolean
}

const succeed = (status: number, body: string): BareAnswer => ({ status, body, isReplay: false })

export const refuse = (status: number): BareAnswer => succeed(status, JSON.stringify({ error: status }))

const refusals: Readonly<Record<string, number>> = {
  key_invalid: 401,
  seller_not_allowed: 403,
  in_progress: 409,
  mismatch: 422,
}

/** Everything about an API key that never changes, with the key names that follow from it. */
const makeCaller = (apiKey: string, keyHash: string, sellerId: string, keyId: string) => {
  const mode = "test"
  const feed = { sellerId, mode } as const
  const tag = keys.tagOf(sellerId)
  const transactions = keys.transactionsKey(sellerId, mode)
  return {
    sellerId,
    partition: keys.partitionOf(sellerId),
    apiKey,
    transactions,
    /** KEYS of a commit before and after the two that depend on the request. */
    keysBefore: [keys.movingKeyBeside(apiKey), apiKey, keys.sellerKey(sellerId)],
    keysAfter: [
      transactions,
      keys.transactionsKey(sellerId, mode, "pending"),
      keys.lookupKey(feed),
      keys.eventsKey(feed),
      keys.feedKey(feed),
      keys.subscriptionsKey(feed),
      keys.dueKey(tag),
      keys.timersKey(tag),
    ],
    idempotencyPrefix: keys.idempotencyKey(sellerId, mode, "transactions", ""),
    /** What list cursors are bound to. */
    principal: { sellerId, mode, keyId, keyHash } as Principal,
  }
}
export type BareCaller = ReturnType<typeof makeCaller>

export const commitArguments = (
  caller: BareCaller,
  idempotencyKey: string,
  rawBody: Buffer,
  charge: BareCharge,
): Array<string | number> => [
  ...[createFunction, 13],
  ...caller.keysBefore,
  caller.idempotencyPrefix + idempotencyKey,
  keys.transactionKey(charge.id),
  ...caller.keysAfter,
  JSON.stringify({
    sellerId: caller.sellerId,
    mode: "test",
    retentionMillis,
    id: charge.id,
    status: "pending",
    eventType: "transaction.created",
    isInternal: true,
    customer: charge.customer,
    lookup: createdTermsOf(charge.document, charge.customer),
    timers: charge.timers,
    fingerprint: hash("sha256", rawBody, "base64url"),
    execution: charge.executionId,
    idempotencyRetentionMillis: limits.idempotencyRetentionMillis,
  }),
  charge.document,
]

const createFunction = library.registeredName("charges.create")

const isValid = (caller: BareCaller, record: ReadonlyArray<string | null>): boolean => {
  const [sellerId, revokeAt] = record
  return sellerId === caller.sellerId && (!revokeAt || Number(revokeAt) > Date.now())
}

/** The checks, commits and reads that the service makes in Redis, and nothing else. */
class BareStore {
  readonly seal: ReturnType<typeof makeCipher>["seal"]
  readonly #restore: (document: string) => string
  readonly #cursors: Cursors["Service"]
  // Auto-pipelining was tried both ways: with it, Redis spends a third less on commits; without it, reads cost less in
  // this process, which is their limit. The callers that use either share nothing else, so each has its own connection.
  readonly #writes: Redis
  readonly #reads: Redis
  readonly #callers = new Map<string, BareCaller>()

  constructor(redisUrl: string, encryptionKey: Uint8Array) {
    this.#writes = new Redis(redisUrl, { enableAutoPipelining: true, protocol: 2 })
    this.#reads = new Redis(redisUrl, { enableAutoPipelining: false, protocol: 2 })
    const key = plainKey(encryptionKey)
    this.seal = makeCipher(key).seal
    this.#restore = makeOpenDocument(encryptionKey)
    this.#cursors = Effect.runSync(Effect.provide(Cursors, CursorsLive(key)))
  }

  async loadFunctions(): Promise<void> {
    await this.#writes.function("LOAD", "REPLACE", library.source)
  }

  /** The owner of an `Authorization` header's key, if it was seen before; `findCaller` looks up others. */
  knownCaller(authorization: string): BareCaller | undefined {
    return this.#callers.get(authorization)
  }

  async findCaller(authorization: string): Promise<BareCaller | undefined> {
    const text = authorization.slice("Bearer ".length)
    const parsed = parseApiKey(text)
    if (parsed === undefined) return undefined
    const keyHash = hash("sha256", text, "base64url")
    const apiKey = keys.apiKeyKey(parsed.partition, keyHash)
    const [sellerId, mode, keyId] = await this.#reads.hmget(apiKey, "seller", "mode", "id")
    if (!sellerId || mode !== "test") return undefined
    const caller = makeCaller(apiKey, keyHash, sellerId, keyId ?? "")
    this.#callers.set(authorization, caller)
    return caller
  }

  /** The first response to a request, or that of its Idempotency-Key, by the service's own commit function. */
  async create(
    caller: BareCaller,
    idempotencyKey: string,
    rawBody: Buffer,
    charge: BareCharge,
  ): Promise<BareAnswer> {
    const commit = commitArguments(caller, idempotencyKey, rawBody, charge)
    const reply = (await this.#writes.call("FCALL", ...commit)) as ReadonlyArray<string>
    const [outcome = "", savedStatus, savedBody = ""] = reply
    if (outcome === "created") return succeed(201, charge.answer)
    if (outcome !== "replay") return refuse(refusals[outcome] ?? 500)
    return { status: Number(savedStatus), body: this.#restore(savedBody), isReplay: true }
  }

  async get(caller: BareCaller, id: string): Promise<BareAnswer> {
    const [record, [sellerId, mode, , , document]] = await Promise.all([
      this.#reads.hmget(caller.apiKey, "seller", "revoke_at"),
      this.#reads.hmget(keys.transactionKey(id), "seller", "mode", "status", "version", "document"),
    ])
    if (!isValid(caller, record)) return refuse(401)
    if (sellerId !== caller.sellerId || mode !== "test" || !document) return refuse(404)
    return succeed(200, this.#restore(document))
  }

  /** The newest charges, at most `limit`: ids first, then the documents in one pipeline. */
  async list(caller: BareCaller, limit: number): Promise<BareAnswer> {
    const [record, ids] = await Promise.all([
      this.#reads.hmget(caller.apiKey, "seller", "revoke_at"),
      // One extra id shows whether there is a next page.
      this.#reads.zrange(caller.transactions, "+", "-", "BYLEX", "REV", "LIMIT", 0, limit + 1),
    ])
    if (!isValid(caller, record)) return refuse(401)
    const shown = ids.slice(0, limit)
    const pipeline = this.#reads.pipeline()
    for (const id of shown) pipeline.hget(keys.transactionKey(id), "document")
    const items = ((await pipeline.exec()) ?? []).map(([error, document]) => {
      if (error !== null) throw error
      return this.#restore(document as string)
    })
    const scope = { list: "transactions", principal: caller.principal, filters: {} }
    const lastId = ids.length > limit ? shown.at(-1) : undefined
    const cursor = lastId === undefined ? "null" : `"${this.#cursors.encode(scope, lastId)}"`
    return succeed(200, `{"data":[${items.join(",")}],"next_cursor":${cursor}}`)
  }

  close(): void {
    this.#writes.disconnect()
    this.#reads.disconnect()
  }
}

/** Connects to Redis and loads the functions. `encryptionKey` has 32 bytes. */
export const openBareStore = async (redisUrl: string, encryptionKey: Uint8Array): Promise<BareStore> => {
  const store = new BareStore(redisUrl, encryptionKey)
  await store.loadFunctions()
  return store
}
