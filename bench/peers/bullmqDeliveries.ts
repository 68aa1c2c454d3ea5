/**
 * Deliveries as most would write them: a BullMQ worker, undici's `request` with an agent, attempts and waits by BullMQ,
 * and the service's record of each attempt as a hash, because BullMQ keeps none. One queue serves all endpoints,
 * because BullMQ's open edition has no groups with caps. Settings: see readPeerSettings. Never expose it to a network.
 */

import { type Job, Worker } from "bullmq"
import { Redis } from "ioredis"
import { Agent, request } from "undici"
import {
  attemptKeyOf,
  attemptTimeoutMillis,
  excerptBytesMax,
  failureOf,
  outcomeOf,
  type PeerDelivery,
  type PeerOutcome,
  type PeerRequest,
  readPeerSettings,
  recordOf,
  requestOf,
  retryMillisOf,
} from "./bareQueueAttempt.ts"
import { bullmqQueue, type DeliveryJob, retentionMillis } from "./peerQueue.ts"

/** Concurrent jobs: 64, 128 and 512 were not faster. */
const concurrency = 256

const settings = readPeerSettings()
const redis = new Redis(settings.redisUrl, { protocol: 2, enableAutoPipelining: true })
const agent = new Agent({
  allowH2: false,
  headersTimeout: attemptTimeoutMillis,
  bodyTimeout: attemptTimeoutMillis,
  connect: { ca: settings.ca },
})

const send = async ({ origin, path, headers, body }: PeerRequest): Promise<PeerOutcome> => {
  const startedMillis = performance.now()
  try {
    const answer = await request(origin + path, { method: "POST", headers, body, dispatcher: agent })
    const text = await answer.body.text()
    return outcomeOf(answer.statusCode, startedMillis, text.slice(0, excerptBytesMax))
  } catch (error) {
    return failureOf(error, startedMillis)
  }
}

const deliver = async (job: Job<DeliveryJob>): Promise<void> => {
  const { endpoint, eventId, body } = job.data
  const delivery: PeerDelivery = { endpoint, eventId, type: job.name, body, attempt: job.attemptsMade + 1 }
  const sent = requestOf(settings, delivery)
  const outcome = await send(sent)
  const isLast = retryMillisOf(settings, delivery.attempt, outcome) === undefined
  const key = attemptKeyOf(sent.deliveryId)
  const record = recordOf(delivery, sent, outcome, isLast)
  await Promise.all([redis.hset(key, record), redis.pexpire(key, retentionMillis)])
  if (outcome.error !== null) throw new Error(outcome.error)
}

const worker = new Worker<DeliveryJob>(bullmqQueue, deliver, {
  connection: new Redis(settings.redisUrl, { maxRetriesPerRequest: null }),
  concurrency,
  settings: { backoffStrategy: (attemptsMade) => settings.retryMillis[attemptsMade - 1] ?? -1 },
})
worker.on("error", (error) => {
  console.error(error)
  process.exit(1)
})
await worker.waitUntilReady()
console.log("ready")
