import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Redis } from "ioredis"
import * as keys from "../../src/store/keys.ts"
import type { ObserverAnswer, ObserverRequest } from "../load/eventProtocol.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Metric, Progress, Target } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import type { Worker } from "../support/child.ts"
import { redisInfo } from "../support/redisServer.ts"
import type { Side } from "../support/sides.ts"

/** The participants. */
export interface BytesParts {
  readonly side: Side
  readonly load: Worker<LoadJob, LoadResult>
  /** Where the side's endpoint is. */
  readonly receiver: Worker<ObserverRequest, ObserverAnswer>
  readonly receiverUrl: string
}

/** The results. */
export interface BytesResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly target: Target
  readonly check: Check
}

/** What a paid charge may take, in all its keys. */
const bytesMax = 8_000

/** Paid by the simulator (docs/contract/transactions.md#test-amounts). */
const amountEnding = 0
const chargesPerSecond = 300
const connections = 16
const scanCount = 1_000
/** Longest wait for payments, deliveries and their records after the last charge. */
const settleTimeoutMillis = 60_000

/** Prefixes of keys, and what these keys hold. */
const families: Readonly<Record<string, string>> = {
  txn: "charge",
  txns: "its places in lists",
  events: "its two events",
  idem: "its Idempotency-Key",
  ledger: "its ledger entry",
  delivery: "its delivery",
  attempt: "its attempt",
  attempts: "the attempt's places",
  lookup: "what it is found by",
}
const others = "everything else"

/** Bytes by family, and what Redis reports in total. */
interface Usage {
  readonly byFamily: ReadonlyMap<string, number>
  readonly usedMemory: number
}

/** Asks Redis for the memory of every key. */
const readUsage = async (client: Redis): Promise<Usage> => {
  const byFamily = new Map<string, number>()
  for await (const page of client.scanStream({ count: scanCount })) {
    const names = page as ReadonlyArray<string>
    const sizes = await client.pipeline(names.map((name) => ["memory", "usage", name, "SAMPLES", "0"])).exec()
    for (const [at, name] of names.entries()) {
      const prefix = name.split(":", 1)[0] ?? ""
      const family = prefix in families ? prefix : others
      byFamily.set(family, (byFamily.get(family) ?? 0) + Number(sizes?.[at]?.[1] ?? 0))
    }
  }
  return { byFamily, usedMemory: Number(await redisInfo(client, "used_memory")) }
}

/** The progress of a seller's charges. */
interface Counts {
  readonly charges: number
  readonly paid: number
  readonly events: number
  readonly attempts: number
}

const readCounts = async ({ redis, sellerId }: Side): Promise<Counts> => {
  const feed = { sellerId, mode: "test" } as const
  const [charges, paid, events, attempts] = await Promise.all([
    redis.client.zcard(keys.transactionsKey(sellerId, "test")),
    redis.client.zcard(keys.transactionsKey(sellerId, "test", "paid")),
    redis.client.xlen(keys.eventsKey(feed)),
    redis.client.zcard(keys.attemptsKey(sellerId, "test", { kind: "status", value: "success" })),
  ])
  return { charges, paid, events, attempts }
}

const difference = (after: Counts, before: Counts): Counts => ({
  charges: after.charges - before.charges,
  paid: after.paid - before.paid,
  events: after.events - before.events,
  attempts: after.attempts - before.attempts,
})

const isWhole = ({ charges, paid, events, attempts }: Counts, count: number): boolean =>
  charges === count && paid === count && events === count * 2 && attempts === count

/** Creates charges and waits until each is paid and delivered. */
const makePaidCharges = async ({ side, load }: BytesParts, count: number, before: Counts) => {
  const made = await load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: { kind: "create", amountEnding, keepMax: 0, keyPrefix: randomUUID().slice(0, 8) },
    connections,
    warmUpMillis: 0,
    measureMillis: (count / chargesPerSecond) * 1_000,
    ratePerSecond: chargesPerSecond,
    processes: {},
  })
  const deadline = performance.now() + settleTimeoutMillis
  while (performance.now() < deadline) {
    if (isWhole(difference(await readCounts(side), before), made.created)) break
    await sleep(50)
  }
  return made
}

const bytesOf = (before: Usage, after: Usage, count: number) => {
  const bytes = (family: string) =>
    ((after.byFamily.get(family) ?? 0) - (before.byFamily.get(family) ?? 0)) / count
  const metricOf = (name: string, value: number) =>
    makeMetric(`in Redis, ${name}`, "B", { corrente: [value] })
  const named = Object.entries(families).map(([family, text]) =>
    metricOf(`${text} (${family})`, bytes(family)),
  )
  const all = [...Object.keys(families), others].reduce((sum, family) => sum + bytes(family), 0)
  const metrics = [
    ...named,
    metricOf(others, bytes(others)),
    metricOf("all keys", all),
    metricOf("used_memory", (after.usedMemory - before.usedMemory) / count),
  ]
  const name = `a paid charge in Redis, all keys: under ${bytesMax.toLocaleString("en-US")} B`
  return { metrics, target: { name, measured: all, isMet: all < bytesMax } }
}

/**
 * Bytes in Redis for a charge that is created, paid and delivered to one endpoint: MEMORY USAGE of all keys by kind,
 * and what Redis itself reports, before and after `count` charges.
 */
export const measureBytes = async (
  parts: BytesParts,
  count: number,
  progress: Progress,
): Promise<BytesResult> => {
  const { side, receiver } = parts
  await side.ops([
    ...["endpoint", "create", "--seller", side.sellerId, "--mode", "test"],
    ...["--url", parts.receiverUrl, "--events", "transaction.paid"],
  ])
  // Creates what exists only once, however many charges follow.
  const first = await readCounts(side)
  const warmUp = await makePaidCharges(parts, Math.ceil(count / 10), first)
  const before = { counts: await readCounts(side), usage: await readUsage(side.redis.client) }
  progress(`growth: ${count} charges are paid and delivered`)
  const made = await makePaidCharges(parts, count, before.counts)
  const counts = difference(await readCounts(side), before.counts)
  const after = await readUsage(side.redis.client)
  const { count: delivered } = await receiver.ask({ kind: "count" })
  const problems = [...warmUp.problems, ...made.problems]
  const isRight =
    problems.length === 0 &&
    made.created > 0 &&
    isWhole(counts, made.created) &&
    delivered === warmUp.created + made.created
  return {
    ...bytesOf(before.usage, after, made.created),
    check: {
      name: "paid charges",
      isRight,
      detail:
        problems.slice(0, 3).join("; ") ||
        `${made.created} created, ${counts.paid} paid, ${counts.events} events, ${counts.attempts} attempts recorded`,
    },
  }
}
