import * as keys from "../../src/store/keys.ts"
import { compact } from "./redisServer.ts"
import type { Side } from "./sides.ts"

const pageSize = 1_000

/** What a side's Redis holds. */
export interface Stored {
  /** Charges that can be read. */
  readonly charges: number
  /** Sum of their amounts, in centavos. */
  readonly amountSum: number
  /** Events in the feed. */
  readonly events: number
}

const amountOf = (document: string | null): number | undefined => {
  if (document === null) return undefined
  const { amount } = JSON.parse(document) as { readonly amount: number }
  return amount
}

/**
 * Reads back every charge of a side's seller from Redis, then removes them with their events, timers and idempotency
 * records, and rewrites the append-only file: so that each round starts on the same data, and a run of any length
 * takes no more memory than its longest round.
 */
export const auditAndClear = async (side: Side): Promise<Stored> => {
  const { client } = side.redis
  const feed = { sellerId: side.sellerId, mode: "test" } as const
  const index = keys.transactionsKey(side.sellerId, "test")
  const events = await client.xlen(keys.eventsKey(feed))
  let charges = 0
  let amountSum = 0
  for (
    let ids = await client.zpopmin(index, pageSize);
    ids.length > 0;
    ids = await client.zpopmin(index, pageSize)
  ) {
    const chargeKeys = ids.filter((_, at) => at % 2 === 0).map(keys.transactionKey)
    const pipeline = client.pipeline()
    for (const key of chargeKeys) pipeline.hget(key, "document")
    for (const [error, document] of (await pipeline.exec()) ?? []) {
      if (error !== null) throw error
      const amount = amountOf(document as string | null)
      if (amount === undefined) continue
      charges += 1
      amountSum += amount
    }
    await client.unlink(chargeKeys)
  }
  await clearRest(side)
  await compact(client)
  return { charges, amountSum, events }
}

const clearRest = async (side: Side): Promise<void> => {
  const { client } = side.redis
  const feed = { sellerId: side.sellerId, mode: "test" } as const
  await client.unlink(keys.transactionsKey(side.sellerId, "test", "pending"))
  await client.unlink(keys.timersKey(keys.tagOf(side.sellerId)))
  await client.xtrim(keys.eventsKey(feed), "MAXLEN", 0)
  const pattern = keys.idempotencyKey(side.sellerId, "test", "transactions", "*")
  for await (const found of client.scanStream({ match: pattern, count: pageSize })) {
    const names = found as ReadonlyArray<string>
    if (names.length > 0) await client.unlink(...names)
  }
}
