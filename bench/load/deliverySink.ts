import { Queue } from "bullmq"
import { Redis } from "ioredis"
import { renderDeliveryEvent } from "../../actors/event/envelope.ts"
import { eventIdOf, type Feed } from "../../schema/ids.ts"
import * as keys from "../../src/store/keys.ts"
import { bareKeys } from "../peers/bareQueueKeys.ts"
import type { DeliveryJob } from "../peers/bullmqJob.ts"
import { jobOptions } from "../peers/bullmqJob.ts"
import type { DelivererName } from "./deliveryProtocol.ts"

/** An event to owe. */
export interface OwedEvent {
  readonly feed: Feed
  /** The endpoints it is owed to. */
  readonly endpoints: ReadonlyArray<number>
  readonly type: string
  readonly resourceId: string
  /** The resource's JSON: as stored for the service, as shown for peers. */
  readonly data: string
  /** For peers: Unix time in ms. Undefined: now. */
  readonly dueAtMillis: number | undefined
}

/** Where events are owed. */
export interface DeliverySink {
  /** The form of the template's resource that it needs. */
  readonly form: "stored" | "shown"
  readonly owe: (event: OwedEvent) => Promise<unknown>
}

const retentionMillis = 30 * 24 * 60 * 60 * 1_000

/** The service: does what its commit does for an event. Requires the bench's functions to be loaded. */
const serviceSink = (url: string): DeliverySink => {
  const redis = new Redis(url, { protocol: 2, enableAutoPipelining: true })
  return {
    form: "stored",
    owe: ({ feed, type, resourceId, data }) => {
      const tag = keys.tagOf(feed.sellerId)
      const names = [keys.eventsKey(feed), keys.feedKey(feed), keys.subscriptionsKey(feed), keys.dueKey(tag)]
      return redis.fcall(
        "corrente_bench_owe_event",
        names.length,
        ...names,
        ...[keys.feedChannel(feed), keys.wakeChannel(tag), keys.queuePrefix(tag)],
        ...[type, resourceId, data, retentionMillis],
      )
    },
  }
}

/** Builds the body that the service would send for an event. Peers store it whole. */
const envelopes = () => {
  const seqs = new Map<string, number>()
  let entries = 0
  return ({ feed, type, resourceId, data }: OwedEvent) => {
    entries += 1
    const seq = (seqs.get(feed.sellerId) ?? 0) + 1
    seqs.set(feed.sellerId, seq)
    const entryId = `${Date.now()}-${entries % 1_000}`
    const entry = { entryId, seq, type, resourceId, internal: false, data }
    return { eventId: eventIdOf(feed, entryId), body: renderDeliveryEvent(feed, entry, (text) => text) }
  }
}

const bareSink = (url: string, queue: string): DeliverySink => {
  const redis = new Redis(url, { protocol: 2, enableAutoPipelining: true })
  const envelopeOf = envelopes()
  const names = bareKeys(queue)
  return {
    form: "shown",
    owe: (event) => {
      const { eventId, body } = envelopeOf(event)
      return redis.fcall(
        "bare_enqueue",
        2,
        ...[names.queue, names.eventPrefix + eventId],
        ...[eventId, event.type, body, event.dueAtMillis ?? "", retentionMillis, names.wake],
        ...event.endpoints,
      )
    },
  }
}

const bullmqSink = (url: string, name: string, isKeeping: boolean): DeliverySink => {
  const queue = new Queue<DeliveryJob>(name, { connection: new Redis(url, { maxRetriesPerRequest: null }) })
  const envelopeOf = envelopes()
  return {
    form: "shown",
    owe: (event) => {
      const { eventId, body } = envelopeOf(event)
      const delay = event.dueAtMillis === undefined ? 0 : Math.max(0, event.dueAtMillis - Date.now())
      return queue.addBulk(
        event.endpoints.map((endpoint) => ({
          name: event.type,
          data: { endpoint, eventId, body },
          opts: { ...jobOptions, removeOnComplete: !isKeeping, ...(delay === 0 ? {} : { delay }) },
        })),
      )
    },
  }
}

/** Connects to a contender's Redis. */
export const openSink = ({
  name,
  url,
  queue,
  isKeeping,
}: {
  readonly name: DelivererName
  readonly url: string
  readonly queue: string
  readonly isKeeping: boolean
}): DeliverySink => {
  switch (name) {
    case "corrente":
      return serviceSink(url)
    case "bare":
      return bareSink(url, queue)
    case "bullmq":
      return bullmqSink(url, queue, isKeeping)
  }
}
