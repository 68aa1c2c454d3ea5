/** A process that owes events to endpoints, as fast as possible or at a fixed rate. */
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import { renderDeliveryEvent } from "../../actors/event/envelope.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { eventIdOf, type Feed } from "../../schema/ids.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import * as keys from "../../src/store/keys.ts"
import { bareKeys, bullmqQueue, type DeliveryJob, jobOptions, retentionMillis } from "../peers/peerQueue.ts"
import type { EventTemplate } from "../support/template.ts"
import { monotonicMillis } from "./clock.ts"
import { type DeliveryRound, resourceIdOf } from "./deliveryRounds.ts"
import { paced } from "./pace.ts"
import { serveParent } from "./serveParent.ts"
import { createBody } from "./workload.ts"

export type DelivererName = "corrente" | "bare" | "bullmq"

interface ConnectRequest {
  readonly kind: "connect"
  readonly name: DelivererName
  readonly url: string
  readonly template: EventTemplate
  /** `ENCRYPTION_KEY` of the service, under which each event's customer is sealed. */
  readonly encryptionKey: string
}

interface OweRequest {
  readonly kind: "owe"
  readonly name: DelivererName
  readonly round: DeliveryRound
  /** The range of the round's events to owe, without `toEvent`. */
  readonly fromEvent: number
  readonly toEvent: number
  /** The feed of each group. */
  readonly feeds: ReadonlyArray<Feed>
  /** Open loop: each event is due at its time, regardless of earlier ones. Undefined: as fast as possible. */
  readonly ratePerSecond: number | undefined
}

export type DeliverySourceRequest = ConnectRequest | OweRequest

export interface DeliverySourceAnswer {
  /** When the first event was due, on the monotonic clock; the others follow at the rate's interval. */
  readonly startMillis: number
  /** Lateness of the source itself, p99 in ms; 0 without a rate. */
  readonly latenessMillis: number
}

interface OwedEvent {
  readonly feed: Feed
  readonly endpoints: ReadonlyArray<number>
  readonly type: string
  readonly resourceId: string
  /** The resource's JSON: as stored for the service, as shown for peers. */
  readonly data: string
}

type Owe = (event: OwedEvent) => Promise<unknown>

/** The service: does what its commit does for an event. Requires the bench's functions to be loaded. */
const oweToService = (url: string): Owe => {
  const redis = new Redis(url, { protocol: 2, enableAutoPipelining: true })
  return ({ feed, type, resourceId, data }) => {
    const tag = keys.tagOf(feed.sellerId)
    const names = [keys.eventsKey(feed), keys.feedKey(feed), keys.subscriptionsKey(feed), keys.dueKey(tag)]
    const event = [type, resourceId, data, retentionMillis]
    return redis.fcall("corrente_bench_owe_event", names.length, ...names, ...event)
  }
}

/** Builds the body that the service would send for an event. Peers store it whole. */
const envelopes = () => {
  let entries = 0
  return ({ feed, type, resourceId, data }: OwedEvent) => {
    entries += 1
    const entryId = `${Date.now()}-${entries % 1_000}`
    const entry = { entryId, seq: entries, type, resourceId, internal: false, data }
    return { eventId: eventIdOf(feed, entryId), body: renderDeliveryEvent(feed, entry, (text) => text) }
  }
}

const oweToBare = (url: string): Owe => {
  const redis = new Redis(url, { protocol: 2, enableAutoPipelining: true })
  const envelopeOf = envelopes()
  return (event) => {
    const { eventId, body } = envelopeOf(event)
    return redis.fcall(
      "bare_enqueue",
      2,
      ...[bareKeys.queue, bareKeys.eventPrefix + eventId],
      ...[eventId, event.type, body, retentionMillis, bareKeys.wake],
      ...event.endpoints,
    )
  }
}

const oweToBullmq = (url: string): Owe => {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const queue = new Queue<DeliveryJob>(bullmqQueue, { connection })
  const envelopeOf = envelopes()
  return (event) => {
    const { eventId, body } = envelopeOf(event)
    return queue.addBulk(
      event.endpoints.map((endpoint) => ({
        name: event.type,
        data: { endpoint, eventId, body },
        opts: jobOptions,
      })),
    )
  }
}

const sinks = { corrente: oweToService, bare: oweToBare, bullmq: oweToBullmq }

/** Owes an event that is the template's but for its resource. */
type OweResource = (event: Pick<OwedEvent, "feed" | "endpoints" | "resourceId">) => Promise<unknown>

const contenders = new Map<DelivererName, OweResource>()

const connect = ({ name, url, template, encryptionKey }: ConnectRequest): void => {
  const { type, stored, shown } = template
  const owe = sinks[name](url)
  const { seal } = makeCipher(plainKey(Buffer.from(encryptionKey, "base64")))
  const { document } = createBody.customer
  const sealed = /(?<="document":")enc:[^"]+/
  contenders.set(name, (event) => {
    const sealOwn = () => seal(document, sealedPlaces.customerDocument(event.resourceId))
    // A sealed document opens for its own charge alone.
    const own = name === "corrente" ? stored.replace(sealed, sealOwn) : shown
    return owe({ ...event, type, data: own.replaceAll(template.resourceId, event.resourceId) })
  })
}

/** Concurrent calls without a rate: as many as a busy server has requests. */
const underWayMax = 256

const oweAll = async ({ name, round, feeds, fromEvent, toEvent, ratePerSecond }: OweRequest) => {
  const { run, groups } = round
  const owe = async (event: number): Promise<void> => {
    const group = event % groups.length
    const feed = feeds[group]
    if (feed === undefined) throw new Error(`group ${group} has no feed`)
    await contenders.get(name)?.({
      feed,
      endpoints: groups[group] ?? [],
      resourceId: resourceIdOf(run, event),
    })
  }
  if (ratePerSecond === undefined) {
    const startMillis = monotonicMillis()
    let next = fromEvent
    const oweOn = async () => {
      while (next < toEvent) await owe(next++)
    }
    await Promise.all(Array.from({ length: underWayMax }, oweOn))
    return { startMillis, latenessMillis: 0 }
  }
  const owed: Array<Promise<void>> = []
  const times = await paced(ratePerSecond, toEvent - fromEvent, (index) => {
    const done = owe(fromEvent + index)
    // Awaiting all reports a failure; until then it must not end the process.
    done.catch(() => {})
    owed.push(done)
  })
  await Promise.all(owed)
  return times
}

serveParent<DeliverySourceRequest, DeliverySourceAnswer>((request) => {
  if (request.kind === "owe") return oweAll(request)
  connect(request)
  return { startMillis: 0, latenessMillis: 0 }
})
