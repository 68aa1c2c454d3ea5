import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import type { ReceiverEndpoint } from "../load/deliveryProtocol.ts"
import { bareKeys } from "../peers/bareQueueKeys.ts"
import { type Child, startServer } from "../support/child.ts"
import { nodeFlags } from "../support/nodeFlags.ts"
import { type BenchRedis, dataRoot } from "../support/redisServer.ts"
import { loadBareQueue } from "./functions.ts"
import { momentFor, type PeerSide, readAttempts, retryScheduleSeconds, settledMillis } from "./side.ts"

/** Options of a peer. */
export interface PeerOptions {
  readonly redis: BenchRedis
  readonly queue: string
  readonly endpoints: ReadonlyArray<ReceiverEndpoint>
  readonly caFile: string
  /** False: its attempts make no request. */
  readonly isSending: boolean
}

const startPeer = (script: string, { redis, queue, endpoints, caFile, isSending }: PeerOptions) => {
  const endpointsFile = join(dataRoot, "endpoints.json")
  writeFileSync(endpointsFile, JSON.stringify(endpoints))
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    REDIS_URL: redis.url,
    QUEUE: queue,
    ENDPOINTS_FILE: endpointsFile,
    WEBHOOK_CA_FILE: caFile,
    RETRY_SCHEDULE_SECONDS: retryScheduleSeconds,
    ...(isSending ? {} : { SENDING: "off" }),
  }
  const path = fileURLToPath(new URL(`../peers/${script}`, import.meta.url))
  return startServer(process.execPath, [...nodeFlags, path], environment, /ready/)
}

const chunkSize = 1_000

/** Starts the bare queue. */
export const startBareSide = async (options: PeerOptions): Promise<PeerSide> => {
  const { redis, queue } = options
  const { client } = redis
  await loadBareQueue(client)
  const server: Child = await startPeer("bareQueue.ts", options)
  const names = bareKeys(queue)
  return {
    name: "bare",
    pid: server.pid,
    stop: server.stop,
    redis,
    queue,
    unsettled: () => client.zcount(names.queue, "-inf", Date.now() + settledMillis),
    makeDue: async () => {
      const members = await client.zrange(names.queue, "0", "-1")
      const atMillis = momentFor(members.length)
      for (let at = 0; at < members.length; at += chunkSize) {
        const moved = members.slice(at, at + chunkSize).flatMap((member) => [String(atMillis), member])
        await client.zadd(names.queue, ...moved)
      }
      await client.publish(names.wake, String(atMillis))
      return atMillis
    },
    forget: async () => {},
    garbage: ["attempt:", names.eventPrefix, names.queue, names.attemptsMade],
    done: async () => (await readAttempts(client)).attempts,
  }
}

/** Starts the BullMQ worker. */
export const startBullmqSide = async (options: PeerOptions): Promise<PeerSide> => {
  const { redis, queue: name } = options
  const server: Child = await startPeer("bullmqDeliveries.ts", options)
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null })
  const queue = new Queue(name, { connection })
  /** Members due at a moment or before; BullMQ's scores count 4,096 to a millisecond. */
  const countDelayed = (toMillis: number): Promise<number> =>
    redis.client.zcount(queue.toKey("delayed"), "-inf", toMillis * 4_096)
  const countUnsettled = async (): Promise<number> => {
    // Delayed jobs first: they turn into waiting ones.
    const delayed = await countDelayed(Date.now() + settledMillis)
    const { wait = 0, active = 0 } = await queue.getJobCounts("wait", "active")
    return delayed + wait + active
  }
  return {
    name: "bullmq",
    pid: server.pid,
    redis,
    queue: name,
    unsettled: countUnsettled,
    makeDue: async () => {
      const atMillis = Date.now()
      await queue.promoteJobs()
      return atMillis
    },
    forget: async () => {
      await queue.drain(true)
      await queue.clean(0, 0, "completed")
    },
    garbage: ["attempt:"],
    done: () => queue.getCompletedCount(),
    stop: async () => {
      await server.stop()
      await queue.close()
      connection.disconnect()
    },
  }
}
