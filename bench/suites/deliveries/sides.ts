import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../../../src/store/keys.ts"
import { digestOf, type EndpointGroups, type StoredAttempts } from "../../load/deliveryRounds.ts"
import type { DelivererName } from "../../load/deliverySource.ts"
import type { ReceiverEndpoint } from "../../load/receiver.ts"
import { bareKeys, bullmqQueue } from "../../peers/peerQueue.ts"
import { loadBareQueue } from "../../support/benchFunctions.ts"
import { type Child, startServer } from "../../support/child.ts"
import { type BenchRedis, compact, dataRoot } from "../../support/redisServer.ts"
import { nodeFlags } from "../../support/settings.ts"
import type { SideBackend } from "../../support/sides.ts"

/**
 * Sellers and their endpoints. An event of group n belongs to the seller of group n and is owed to all its endpoints.
 */
export interface EndpointSet {
  readonly groups: EndpointGroups
  readonly feeds: ReadonlyArray<Feed>
  readonly endpointIds: ReadonlyArray<string>
  /** A key of each group's seller. */
  readonly apiKeys: ReadonlyArray<string>
}

/** A contender: its server, one process, and its Redis. */
export interface DeliverySide extends Child {
  readonly name: DelivererName
  readonly redis: BenchRedis
  /** Number of deliveries that are due, leased, or due within a minute. */
  readonly unsettled: (set: EndpointSet) => Promise<number>
  /** Makes every waiting delivery due at one moment; returns that moment as Unix time in ms. */
  readonly makeDue: (set: EndpointSet) => Promise<number>
  /** Removes what it owes besides keys of `garbage`. */
  readonly forget?: () => Promise<void>
  /** Prefixes of the keys that a round leaves behind: attempts, events, queues. */
  readonly garbage: ReadonlyArray<string>
}

/** Waits of the schedule exceed a round; leased and due deliveries are nearer. */
export const retryScheduleSeconds = "3600,3600,3600,3600,3600"
const settledMillis = 60_000

/** A moment by which everything due then is written, even at 50 deliveries per millisecond. */
const momentFor = (deliveries: number): number => Date.now() + 1_000 + Math.ceil(deliveries / 50)

const chunkSize = 1_000

const chunksOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / chunkSize) }, (_, chunk) =>
    all.slice(chunk * chunkSize, (chunk + 1) * chunkSize),
  )

/** Starts the service. The backend's owner stops the backend. */
export const startServiceSide = async (
  backend: SideBackend,
): Promise<DeliverySide & { readonly port: number }> => {
  const { client } = backend.redis
  const server = await backend.startServer()
  const countOwed = async ({ endpointIds }: EndpointSet, toMillis: number): Promise<number> => {
    const counts = endpointIds.map((id) => ["zcount", keys.queueKey(id), "-inf", toMillis])
    let owed = 0
    for (const [error, count] of (await client.pipeline(counts).exec()) ?? []) {
      if (error !== null) throw error
      owed += Number(count)
    }
    return owed
  }
  return {
    name: "corrente",
    redis: backend.redis,
    ...server,
    unsettled: (set) => countOwed(set, Date.now() + settledMillis),
    makeDue: async (set) => {
      const atMillis = momentFor(await countOwed(set, Number.POSITIVE_INFINITY))
      for (const id of set.endpointIds) {
        const due = keys.dueKey(keys.tagOfDestination(id))
        await client.fcall("corrente_bench_due_at", 2, keys.queueKey(id), due, id, atMillis)
      }
      return atMillis
    },
    garbage: ["attempt:", "attempts:", "delivery:", "events:", "stats:", "queue:", "due:"],
  }
}

/** Starts a peer's process. */
const startPeer = (
  script: string,
  redis: BenchRedis,
  { endpoints, caFile }: { readonly endpoints: ReadonlyArray<ReceiverEndpoint>; readonly caFile: string },
) => {
  const endpointsFile = join(dataRoot, "endpoints.json")
  writeFileSync(endpointsFile, JSON.stringify(endpoints))
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    REDIS_URL: redis.url,
    ENDPOINTS_FILE: endpointsFile,
    WEBHOOK_CA_FILE: caFile,
    RETRY_SCHEDULE_SECONDS: retryScheduleSeconds,
  }
  const path = fileURLToPath(new URL(`../../peers/${script}`, import.meta.url))
  return startServer(process.execPath, [...nodeFlags, path], environment, /ready/)
}

type PeerSettings = Parameters<typeof startPeer>[2]

export const startBareSide = async (redis: BenchRedis, settings: PeerSettings): Promise<DeliverySide> => {
  const { client } = redis
  await loadBareQueue(client)
  return {
    ...(await startPeer("bareQueue.ts", redis, settings)),
    name: "bare",
    redis,
    unsettled: () => client.zcount(bareKeys.queue, "-inf", Date.now() + settledMillis),
    makeDue: async () => {
      const members = await client.zrange(bareKeys.queue, "0", "-1")
      const atMillis = momentFor(members.length)
      for (const chunk of chunksOf(members)) {
        await client.zadd(bareKeys.queue, ...chunk.flatMap((member) => [String(atMillis), member]))
      }
      await client.publish(bareKeys.wake, String(atMillis))
      return atMillis
    },
    garbage: ["attempt:", bareKeys.eventPrefix, bareKeys.queue, bareKeys.attemptsMade],
  }
}

export const startBullmqSide = async (redis: BenchRedis, settings: PeerSettings): Promise<DeliverySide> => {
  const server = await startPeer("bullmqDeliveries.ts", redis, settings)
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null })
  const queue = new Queue(bullmqQueue, { connection })
  return {
    name: "bullmq",
    pid: server.pid,
    redis,
    unsettled: async () => {
      // Delayed jobs first: they turn into waiting ones. BullMQ's scores count 4,096 to a millisecond.
      const soonMillis = Date.now() + settledMillis
      const delayed = await redis.client.zcount(queue.toKey("delayed"), "-inf", soonMillis * 4_096)
      const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active")
      return delayed + wait + active
    },
    makeDue: async () => {
      const atMillis = Date.now()
      await queue.promoteJobs()
      return atMillis
    },
    forget: () => queue.drain(true),
    garbage: ["attempt:"],
    stop: async () => {
      await server.stop()
      await queue.close()
      connection.disconnect()
    },
  }
}

const idLength = "whd_".length + 26

/** All keys with one of these prefixes. */
const keysOf = async (redis: Redis, prefixes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  // SCAN may return a key twice while others are added and removed.
  const found = new Set<string>()
  for await (const names of redis.scanStream({ count: chunkSize })) {
    for (const name of names as ReadonlyArray<string>) {
      if (prefixes.some((prefix) => name.startsWith(prefix))) found.add(name)
    }
  }
  return [...found]
}

/**
 * Reads every attempt's record: their number, the `digestOf` of their ids, and counts by status. Each contender stores one per
 * key, in the form of the service's row.
 */
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
  await side.forget?.()
  const { client } = side.redis
  for (const chunk of chunksOf(await keysOf(client, side.garbage))) await client.unlink(...chunk)
  await compact(client)
}
