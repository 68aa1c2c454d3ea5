/** Delivers what a bare queue (bareQueue.lua) owes; claims and records over one connection. */

import { Redis } from "ioredis"
import { type Dispatcher, Pool } from "undici"
import {
  attemptKeyOf,
  attemptTimeoutMillis,
  excerptBytesMax,
  failureOf,
  leaseMillis,
  outcomeOf,
  type PeerDelivery,
  type PeerOutcome,
  type PeerRequest,
  type PeerSettings,
  recordOf,
  requestOf,
  retryMillisOf,
} from "./bareQueueAttempt.ts"
import { bareKeys, retentionMillis } from "./peerQueue.ts"

/** Concurrent attempts in total: more did not make it faster. */
const underWayMax = 256
/** Room needed for a claim while something is due: claims of one or two would cost as much as their deliveries. */
const claimRoomMin = underWayMax / 2
const wordsPerDelivery = 4

const fail = (error: unknown): never => {
  console.error(error)
  process.exit(1)
}

const makePools = (ca: string) => {
  const pools = new Map<string, Pool>()
  return (origin: string): Pool => {
    const known = pools.get(origin)
    if (known !== undefined) return known
    const pool = new Pool(origin, {
      allowH2: false,
      headersTimeout: attemptTimeoutMillis,
      bodyTimeout: attemptTimeoutMillis,
      connect: { ca },
    })
    pools.set(origin, pool)
    return pool
  }
}

type PoolOf = ReturnType<typeof makePools>

const send = (poolOf: PoolOf, { origin, path, headers, body }: PeerRequest): Promise<PeerOutcome> =>
  new Promise((settle) => {
    const startedMillis = performance.now()
    const chunks: Array<Buffer> = []
    let status = 0
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_, statusCode) => {
        status = statusCode
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk)
      },
      onResponseEnd: () => {
        const excerpt = chunks.length === 0 ? "" : Buffer.concat(chunks).toString("utf8", 0, excerptBytesMax)
        settle(outcomeOf(status, startedMillis, excerpt))
      },
      onResponseError: (_, error) => settle(failureOf(error, startedMillis)),
    }
    poolOf(origin).dispatch({ method: "POST", path, headers, body }, handler)
  })

const makeAttempt = (redis: Redis, settings: PeerSettings) => {
  const poolOf = makePools(settings.ca)
  return async (member: string, delivery: PeerDelivery): Promise<unknown> => {
    const request = requestOf(settings, delivery)
    const outcome = await send(poolOf, request)
    const retryMillis = retryMillisOf(settings, delivery.attempt, outcome)
    const { row, detail } = recordOf(delivery, request, outcome, retryMillis === undefined)
    return redis.fcall(
      "bare_record",
      3,
      ...[bareKeys.queue, bareKeys.attemptsMade, attemptKeyOf(request.deliveryId)],
      ...[member, row, detail, retryMillis ?? -1, retentionMillis],
    )
  }
}

export const startBareDeliverer = async (settings: PeerSettings): Promise<void> => {
  const redis = new Redis(settings.redisUrl, { protocol: 2, enableAutoPipelining: true })
  const attempt = makeAttempt(redis, settings)
  let underWay = 0
  let isClaiming = false
  /** Whether something may be due that was not claimed, for lack of room or because a claim was in flight. */
  let hasBacklog = false
  let alarm: NodeJS.Timeout | undefined

  const launch = (words: ReadonlyArray<string | number>): void => {
    const [member, number, type, body] = words.map(String)
    const [eventId = "", endpoint] = (member ?? "").split(":")
    underWay += 1
    attempt(member ?? "", {
      endpoint: Number(endpoint),
      eventId,
      type: type ?? "",
      body: body ?? "",
      attempt: Number(number),
    }).then(() => {
      underWay -= 1
      if (hasBacklog && underWayMax - underWay >= claimRoomMin) claim()
    }, fail)
  }

  /** Claims as much as there is room for, and again when the next delivery is due. */
  const claim = (): void => {
    const room = underWayMax - underWay
    hasBacklog = true
    if (isClaiming || room === 0) return
    isClaiming = true
    hasBacklog = false
    const claimed = redis.fcall(
      "bare_claim",
      2,
      ...[bareKeys.queue, bareKeys.attemptsMade],
      ...[room, leaseMillis, bareKeys.eventPrefix],
    ) as Promise<ReadonlyArray<string | number>>
    claimed.then((words) => {
      isClaiming = false
      for (let at = 1; at < words.length; at += wordsPerDelivery)
        launch(words.slice(at, at + wordsPerDelivery))
      const nextInMillis = Number(words[0])
      clearTimeout(alarm)
      if (nextInMillis > 0) alarm = setTimeout(claim, nextInMillis)
      hasBacklog ||= nextInMillis === 0
      if (hasBacklog && underWayMax - underWay >= claimRoomMin) claim()
    }, fail)
  }

  const hints = new Redis(settings.redisUrl, { protocol: 2 })
  hints.on("message", (_channel: string, dueMillis: string) => {
    const inMillis = Number(dueMillis) - Date.now()
    if (inMillis <= 0) claim()
    else setTimeout(claim, inMillis)
  })
  await hints.subscribe(bareKeys.wake)
  claim()
}
