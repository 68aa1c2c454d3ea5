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
  /** The name of its queue, for peers. */
  readonly queue: string
  /** How many deliveries are due or leased, or will be due within a minute. */
  readonly unsettled: (set: EndpointSet) => Promise<number>
  /** Makes all that waits for its next attempt due at one moment; Unix time of that in ms. */
  readonly makeDue: (set: EndpointSet) => Promise<number>
  /** Forgets what it owes besides keys of `garbage`. */
  readonly forget: () => Promise<void>
  /** What names of keys begin with that a round leaves behind: attempts, events, queues. */
  readonly garbage: ReadonlyArray<string>
}

/** A contender that is a queue of jobs. */
export interface PeerSide extends DeliverySide {
  /** How many jobs of a queue without requests were done and are not forgotten. */
  readonly done: () => Promise<number>
}

/** Waits of the schedule are longer than a round; what is leased or due is nearer. */
export const retryScheduleSeconds = "3600,3600,3600,3600,3600"
export const settledMillis = 60_000

/** A moment by which what is to be due then can be written: 50 deliveries a ms are slow. */
export const momentFor = (deliveries: number): number => Date.now() + 1_000 + Math.ceil(deliveries / 50)

const scanCount = 1_000
const idLength = "whd_".length + 26

/** All keys whose names begin with one of these. */
const keysOf = async (redis: Redis, prefixes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  // A key may be named twice while others come and go.
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

/** The records of attempts that a contender's Redis holds. */
export interface StoredAttempts {
  readonly attempts: number
  /** `digestOf` their ids. */
  readonly digest: number
  readonly byStatus: Readonly<Record<string, number>>
}

/** Reads every attempt's record: each contender has one a key, with the service's row in it. */
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

/** Removes what a round left behind, so that each begins on the same data. */
export const clearSide = async (side: DeliverySide): Promise<void> => {
  await side.forget()
  const { client } = side.redis
  for (const chunk of chunksOf(await keysOf(client, side.garbage))) await client.unlink(...chunk)
  await compact(client)
}

/** Replies of a pipeline as numbers; fails with the first that failed. */
export const numbersOf = (
  replies: ReadonlyArray<readonly [error: Error | null, reply: unknown]> | null,
): ReadonlyArray<number> =>
  (replies ?? []).map(([error, reply]) => {
    if (error !== null) throw error
    return Number(reply)
  })
