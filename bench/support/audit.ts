import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import * as keys from "../../src/store/keys.ts"
import { digestsOf } from "../../src/store/series/chargeLookup.ts"
import { compact } from "./redisServer.ts"
import type { Side } from "./sides.ts"

const pageSize = 1_000

/** What a side's Redis holds. */
export interface Stored {
  /** Number of readable charges. */
  readonly charges: number
  /** Sum of their amounts, in centavos. */
  readonly amountSum: number
  /** Number of events in the feed. */
  readonly events: number
}

const amountOf = (document: string | null): number | undefined => {
  if (document === null) return undefined
  const { amount } = JSON.parse(document) as { readonly amount: number }
  return amount
}

/** Counts the readable charges at these keys, adds up their amounts, and removes them with what they are found by. */
const takeCharges = async (
  { redis: { client }, sellerId }: Side,
  ids: ReadonlyArray<string>,
): Promise<Stored> => {
  const lookups: Array<string> = []
  const chargeKeys = ids.map(keys.transactionKey)
  const pipeline = client.pipeline()
  for (const key of chargeKeys) pipeline.hget(key, "document")
  let charges = 0
  let amountSum = 0
  for (const [at, [error, reply]] of ((await pipeline.exec()) ?? []).entries()) {
    if (error !== null) throw error
    const document = reply as string | null
    for (const digest of digestsOf(document ?? "")) lookups.push(`${digest} ${ids[at]}`)
    const amount = amountOf(document)
    if (amount === undefined) continue
    charges += 1
    amountSum += amount
  }
  await client.unlink(chargeKeys)
  if (lookups.length > 0) await client.zrem(keys.lookupKey({ sellerId, mode: "test" }), ...lookups)
  return { charges, amountSum, events: 0 }
}

const sumOf = (left: Stored, right: Stored): Stored => ({
  charges: left.charges + right.charges,
  amountSum: left.amountSum + right.amountSum,
  events: left.events + right.events,
})

const nothing: Stored = { charges: 0, amountSum: 0, events: 0 }

/** The ids in a reply of names and scores. */
const namesOf = (reply: ReadonlyArray<string>): ReadonlyArray<string> => reply.filter((_, at) => at % 2 === 0)

/**
 * Reads back every charge of a side's seller from Redis, then removes them with their events, timers and idempotency
 * records, and rewrites the append-only file. So each round starts with the same data, and a run of any length takes no
 * more memory than its longest round.
 */
export const auditAndClear = async (side: Side): Promise<Stored> => {
  const { client } = side.redis
  const feed = { sellerId: side.sellerId, mode: "test" } as const
  const index = keys.transactionsKey(side.sellerId, "test")
  const events = await client.xlen(keys.eventsKey(feed))
  let stored: Stored = { ...nothing, events }
  for (
    let ids = namesOf(await client.zpopmin(index, pageSize));
    ids.length > 0;
    ids = namesOf(await client.zpopmin(index, pageSize))
  ) {
    stored = sumOf(stored, await takeCharges(side, ids))
  }
  await clearRest(side)
  await compact(client)
  return stored
}

/**
 * Reads back all charges of a side's seller except the oldest `keep`, then removes them with their events and timers.
 * `events` counts the first events of those charges. Idempotency records stay.
 */
export const auditAndClearNewest = async (side: Side, keep: number): Promise<Stored> => {
  const { client } = side.redis
  const feed = { sellerId: side.sellerId, mode: "test" } as const
  const index = keys.transactionsKey(side.sellerId, "test")
  let stored = nothing
  for (let extra = (await client.zcard(index)) - keep; extra > 0; extra -= pageSize) {
    const ids = namesOf(await client.zpopmax(index, Math.min(extra, pageSize)))
    const entries = await client.pipeline(ids.map((id) => ["hget", keys.transactionKey(id), "events"])).exec()
    const entryIds = (entries ?? []).flatMap(([, entry]) => (typeof entry === "string" ? [entry] : []))
    const events = entryIds.length === 0 ? 0 : await client.xdel(keys.eventsKey(feed), ...entryIds)
    stored = sumOf(stored, { ...(await takeCharges(side, ids)), events })
    await client.zrem(keys.transactionsKey(side.sellerId, "test", "pending"), ...ids)
    const timers = ids.map((id) => `${id}:${timerNames.expire}`)
    await client.zrem(keys.timersKey(keys.tagOf(side.sellerId)), ...timers)
  }
  return stored
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
