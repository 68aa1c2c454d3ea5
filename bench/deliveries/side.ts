import type { Redis } from "ioredis"
import { digestOf } from "../load/deliveryLog.ts"
import type { DelivererName } from "../load/deliveryProtocol.ts"
import type { Child } from "../support/child.ts"
import { type BenchRedis, compact } from "../support/redisServer.ts"
import type { EndpointSet } from "./endpoints.ts"

/** A contender: its server, one process, and its Redis. */
export interface DeliverySide extends Child {
  readonly name: DelivererName
  readonly redis: BenchRedis
  /** The name of a peer's queue. */
  readonly queue: string
  /** Number of deliveries that are due, leased, or due within a minute. */
  readonly unsettled: (set: EndpointSet) => Promise<number>
  /** Makes every waiting delivery due at one moment; returns that moment as Unix time in ms. */
  readonly makeDue: (set: EndpointSet) => Promise<number>
  /** Removes everything it owes, except keys of `garbage`. */
  readonly forget: () => Promise<void>
  /** Prefixes of the keys that a round leaves behind: attempts, events, queues. */
  readonly garbage: ReadonlyArray<string>
}

/** A contender that is a job queue. */
export interface PeerSide extends DeliverySide {
  /** Number of done jobs that a queue without requests still has. */
  readonly done: () => Promise<number>
}

/** Waits of the schedule exceed a round; leased and due deliveries are nearer. */
export const retryScheduleSeconds = "3600,3600,3600,3600,3600"
export const settledMillis = 60_000

/** A moment by which everything due then is written, even at 50 deliveries per millisecond. */
export const momentFor = (deliveries: number): number => Date.now() + 1_000 + Math.ceil(deliveries / 50)

const scanCount = 1_000
const idLength = "whd_".length + 26

/** All keys with one of these prefixes. */
const keysOf = async (redis: Redis, prefixes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  // SCAN may return a key twice while others are added and removed.
  const found = new Set<string>()
  for await (const names of redis.scanStream({ count: scanCount })) {
    for (const name of names as ReadonlyArray<string>) {
      if (prefixes.some((prefix) => name.startsWith(prefix))) found.add(name)
    }
  }
  return [...found]
}

const chunksOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / scanCount) }, (_, chunk) =>
    all.slice(chunk * scanCount, (chunk + 1) * scanCount),
  )

/** The attempts recorded in a contender's Redis. */
export interface StoredAttempts {
  readonly attempts: number
  /** `digestOf` of their ids. */
  readonly digest: number
  readonly byStatus: Readonly<Record<string, number>>
}

/** Reads every attempt's record. Each contender stores one per key, in the form of the service's row. */
export const readAttempts = async (redis: Redis): Promise<StoredAttempts> => {
  const names = await keysOf(redis, ["attempt:"])
  const byStatus: Record<string, number> = {}
  for (const chunk of chunksOf(names)) {
    const rows = (await redis.pipeline(chunk.map((name) => ["hget", name, "row"])).exec()) ?? []
    for (const [error, row] of rows) {
      if (error !== null) throw error
      const { status } = JSON.parse(row as string) as { readonly status: string }
      byStatus[status] = (byStatus[status] ?? 0) + 1
    }
  }
  return { attempts: names.length, digest: digestOf(names.map((name) => name.slice(-idLength))), byStatus }
}

/** Removes what a round left behind, so that each starts with the same data. */
export const clearSide = async (side: DeliverySide): Promise<void> => {
  await side.forget()
  const { client } = side.redis
  for (const chunk of chunksOf(await keysOf(client, side.garbage))) await client.unlink(...chunk)
  await compact(client)
}

/** The replies of a pipeline as numbers; fails with the first error. */
export const numbersOf = (
  replies: ReadonlyArray<readonly [error: Error | null, reply: unknown]> | null,
): ReadonlyArray<number> =>
  (replies ?? []).map(([error, reply]) => {
    if (error !== null) throw error
    return Number(reply)
  })
