/** Delivers what a bare queue (bareQueue.lua) owes; claims and records over one connection. */

import { Redis } from "ioredis"
import { type Dispatcher, Pool } from "undici"
import {
  attemptKeyOf,
  attemptTimeoutMillis,
  excerptBytesMax,
  failureOf,
  leaseMillis,
  newDeliveryId,
  outcomeOf,
  type PeerDelivery,
  type PeerOutcome,
  type PeerRequest,
  type PeerSettings,
  recordOf,
  requestOf,
  retentionMillis,
  retryMillisOf,
  unsentRecord,
} from "./bareQueueAttempt.ts"
import { bareKeys } from "./bareQueueKeys.ts"

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

/** One request; completes once. */
class Post implements Dispatcher.DispatchHandler {
  readonly #startedMillis = performance.now()
  readonly #settle: (outcome: PeerOutcome) => void
  #statusCode = 0
  readonly #chunks: Array<Buffer> = []

  constructor(settle: (outcome: PeerOutcome) => void) {
    this.#settle = settle
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number): void {
    this.#statusCode = statusCode
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const excerpt =
      this.#chunks.length === 0 ? "" : Buffer.concat(this.#chunks).toString("utf8", 0, excerptBytesMax)
    this.#settle(outcomeOf(this.#statusCode, this.#startedMillis, excerpt))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle(failureOf(error, this.#startedMillis))
  }
}

type PoolOf = ReturnType<typeof makePools>

const send = (poolOf: PoolOf, { origin, path, headers, body }: PeerRequest): Promise<PeerOutcome> =>
  new Promise((settle) => {
    poolOf(origin).dispatch({ method: "POST", path, headers, body }, new Post(settle))
  })

type Names = ReturnType<typeof bareKeys>

/** Makes attempts: sends and records them. */
const makeAttempt = (redis: Redis, names: Names, settings: PeerSettings) => {
  const poolOf = makePools(settings.ca)
  const record = (
    member: string,
    deliveryId: string,
    { row, detail }: { readonly row: string; readonly detail: string },
    retryMillis: number | undefined,
  ): Promise<unknown> =>
    redis.fcall(
      "bare_record",
      3,
      ...[names.queue, names.attemptsMade, attemptKeyOf(deliveryId)],
      ...[member, row, detail, retryMillis ?? -1, retentionMillis],
    )

  return async (member: string, delivery: PeerDelivery): Promise<unknown> => {
    if (!settings.isSending) return record(member, newDeliveryId(), unsentRecord, undefined)
    const request = requestOf(settings, delivery)
    const outcome = await send(poolOf, request)
    const retryMillis = retryMillisOf(settings, delivery.attempt, outcome)
    return record(
      member,
      request.deliveryId,
      recordOf(delivery, request, outcome, retryMillis === undefined),
      retryMillis,
    )
  }
}

/** Starts delivering, until the process ends. */
export const startBareDeliverer = async (settings: PeerSettings): Promise<void> => {
  const names = bareKeys(settings.queue)
  const redis = new Redis(settings.redisUrl, { protocol: 2, enableAutoPipelining: true })
  const attempt = makeAttempt(redis, names, settings)
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
      ...[names.queue, names.attemptsMade],
      ...[room, leaseMillis, names.eventPrefix],
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
  await hints.subscribe(names.wake)
  claim()
}
