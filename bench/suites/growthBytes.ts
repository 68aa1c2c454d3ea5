import type { Redis } from "ioredis"
import * as keys from "../../src/store/keys.ts"
import { oneValue, type Progress, problemsCheck, targetOf } from "../report/result.ts"
import { creating, type Load } from "../support/load.ts"
import type { Receiver } from "../support/receiver.ts"
import { redisInfo } from "../support/redisServer.ts"
import type { Side } from "../support/sides.ts"
import { until } from "../support/until.ts"

interface BytesParts {
  readonly side: Side
  readonly load: Load
  readonly receiver: Receiver
}

/** What a paid charge may take, in all its keys. */
const bytesMax = 8_850
const chargesPerSecond = 300
const connections = 16
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
  customers: "its customer's sums",
}
const others = "everything else"

/** The memory of every key, by family, and what Redis reports in total. */
const readUsage = async (client: Redis): Promise<ReadonlyMap<string, number>> => {
  const usage = new Map<string, number>()
  const add = (name: string, bytes: number) => usage.set(name, (usage.get(name) ?? 0) + bytes)
  for await (const page of client.scanStream({ count: 1_000 })) {
    const names = page as ReadonlyArray<string>
    const sizes = await client.pipeline(names.map((name) => ["memory", "usage", name, "SAMPLES", "0"])).exec()
    for (const [at, name] of names.entries()) {
      const prefix = name.split(":", 1)[0] ?? ""
      const family = families[prefix] === undefined ? others : `${families[prefix]} (${prefix})`
      const bytes = Number(sizes?.[at]?.[1] ?? 0)
      add(family, bytes)
      add("all keys", bytes)
    }
  }
  return usage.set("used_memory", Number(await redisInfo(client, "used_memory")))
}

/** A seller's charges, those paid, their events, and the successful attempts. */
const readCounts = ({ redis: { client }, sellerId }: Side): Promise<ReadonlyArray<number>> =>
  Promise.all([
    client.zcard(keys.transactionsKey(sellerId, "test")),
    client.zcard(keys.transactionsKey(sellerId, "test", "paid")),
    client.xlen(keys.eventsKey({ sellerId, mode: "test" })),
    client.zcard(keys.attemptsKey(sellerId, "test", { kind: "status", value: "success" })),
  ])

const makePaidCharges = async ({ side, load }: BytesParts, count: number) => {
  const before = await readCounts(side)
  const { created, problems } = await load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: creating("paid"),
    connections,
    measureMillis: (count / chargesPerSecond) * 1_000,
    ratePerSecond: chargesPerSecond,
  })
  let more: ReadonlyArray<number> = []
  const isWhole = await until(async () => {
    more = (await readCounts(side)).map((now, at) => now - (before[at] ?? 0))
    return more.join() === [created, created, 2 * created, created].join()
  }, settleTimeoutMillis)
  const [, paid, events, attempts] = more
  const detail = `${created} created, ${paid} paid, ${events} events, ${attempts} attempts recorded`
  return { created, detail, problems: isWhole ? problems : [...problems, detail] }
}

/**
 * Bytes in Redis for a charge that is created, paid and delivered to one endpoint: MEMORY USAGE of all keys by kind,
 * and what Redis itself reports, before and after `count` charges.
 */
export const measureBytes = async (parts: BytesParts, count: number, progress: Progress) => {
  const { side, receiver } = parts
  const { secret } = await receiver.addEndpoint(side)
  await receiver.ask({ kind: "expect", secrets: [secret] })
  // Creates what exists only once, however many charges follow.
  const warmUp = await makePaidCharges(parts, Math.ceil(count / 10))
  const before = await readUsage(side.redis.client)
  progress(`growth: ${count} charges are paid and delivered`)
  const made = await makePaidCharges(parts, count)
  const after = await readUsage(side.redis.client)
  const { charges, requests, problems } = await receiver.ask({ kind: "count" })
  const isDelivered = charges === warmUp.created + made.created && requests === charges
  const allProblems = [...warmUp.problems, ...made.problems, ...problems]
  const bytesOf = (name: string) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / made.created
  const name = `a paid charge in Redis, all keys: under ${bytesMax.toLocaleString("en-US")} B`
  return {
    metrics: [...after.keys()].map((family) => oneValue(`in Redis, ${family}`, "B", bytesOf(family))),
    target: targetOf(name, bytesOf("all keys"), { atMost: bytesMax }),
    check: problemsCheck("paid charges", allProblems, made.detail, made.created > 0 && isDelivered),
  }
}
