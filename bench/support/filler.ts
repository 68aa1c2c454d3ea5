import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { fullAccess } from "../../actors/values/apiKeyAccess.ts"
import type { Feed } from "../../schema/ids.ts"
import { newApiKey } from "../../src/accounts/apiKeys/apiKeySecret.ts"
import { IdentifiersLive } from "../../src/crypto/identifiers.ts"
import { makeRedisClient } from "../../src/store/redis/redisClient.ts"
import { createSeller } from "../../src/store/sellers.ts"
import { createBody } from "../load/workload.ts"
import { makeBareCharge, makeBarePayload } from "../peers/bareCharge.ts"
import { openBareStore } from "../peers/bareStore.ts"
import type { BenchRedis } from "./redisServer.ts"
import { encryptionKey } from "./sides.ts"

/** Concurrent calls: they share one wait for the disk. */
const batch = 512

/** Never paid (docs/contract/transactions.md#test-amounts). */
const unpaidAmount = 1_000_001

interface FillOptions {
  /** Centavos; the last two digits select the outcome. */
  readonly amount?: number
  /** When the simulator is asked whether it is paid, in ms from now; undefined: never. */
  readonly paidInMillis?: number
  readonly onStored?: (stored: number) => void
}

/** The seller of a side, or of another service with its key for encryption. */
interface Filled {
  readonly redis: Pick<BenchRedis, "url">
  readonly apiKey: string
  /** Default: that of the sides. */
  readonly encryptionKey?: Uint8Array
}

/**
 * Stores charges of a side's seller with the service's own commit function, faster than by requests. Each is as the
 * service would make it: without its QR picture, which is not stored.
 */
export const fillCharges = async (
  side: Filled,
  count: number,
  { amount = unpaidAmount, paidInMillis, onStored }: FillOptions = {},
): Promise<void> => {
  const body = { ...createBody, amount }
  const store = await openBareStore(
    side.redis.url,
    side.encryptionKey ?? Buffer.from(encryptionKey, "base64"),
  )
  try {
    const caller = await store.findCaller(`Bearer ${side.apiKey}`)
    if (caller === undefined) throw new Error("the side has no seller")
    const rawBody = Buffer.from(JSON.stringify(body))
    const prefix = randomUUID().slice(0, 8)
    for (let stored = 0; stored < count; ) {
      const size = Math.min(batch, count - stored)
      const commits = Array.from({ length: size }, (_, at) => {
        const pix = { payload: makeBarePayload(), qr: "" }
        const charge = makeBareCharge(body, caller.partition, pix, store.seal, JSON.stringify, paidInMillis)
        return store.create(caller, `${prefix}-${stored + at}`, rawBody, charge)
      })
      const refused = (await Promise.all(commits)).find(({ status }) => status !== 201)
      if (refused !== undefined) throw new Error(`a charge was refused: ${refused.status} ${refused.body}`)
      stored += size
      onStored?.(stored)
    }
  } finally {
    store.close()
  }
}

/** A seller, its test-mode feed and the key of that mode. */
export interface FilledSeller {
  readonly sellerId: string
  readonly feed: Feed
  readonly apiKey: string
}

/** The service's default of PARTITIONS. */
const partitions = 64

/**
 * Creates sellers with the service's own function, without users, because nobody signs in. They cover all partitions.
 */
export const fillSellers = (redisUrl: string, count: number): Promise<ReadonlyArray<FilledSeller>> =>
  Effect.gen(function* () {
    const create = createSeller(yield* makeRedisClient(redisUrl, "bench"))
    const identifiers = yield* Identifiers
    const nowMillis = Date.now()
    const createdAt = new Date(nowMillis).toISOString()
    const createOne = Effect.fnUntraced(function* (index: number) {
      const partition = index % partitions
      const key = newApiKey(identifiers, {
        mode: "test",
        partition,
        name: "Default",
        access: fullAccess,
        nowMillis,
      })
      const sellerId = identifiers.id("sel_", partition, nowMillis)
      const seller = {
        id: sellerId,
        name: "Bench",
        userId: randomUUID(),
        kycStatus: "none",
        createdAt,
      } as const
      yield* create(newStoredSeller(seller), [key.record], undefined)
      return { sellerId, feed: { sellerId, mode: "test" }, apiKey: key.key } as const
    })
    const indexes = Array.from({ length: count }, (_, index) => index)
    return yield* Effect.forEach(indexes, createOne, { concurrency: batch })
  }).pipe(Effect.scoped, Effect.provide(IdentifiersLive), Effect.runPromise)
