import { destinationIdOfPostback, destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import type { Destination } from "../../actors/ports/deliveryQueue.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { PostbackDestination } from "../../actors/ports/transactionStore.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import type { Feed } from "../../schema/ids.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import { wake } from "./partitions.ts"
import { type DestinationRecord, type MemoryState, type OwedDelivery, partitionOf } from "./state.ts"

/** Whether a delivery waits for an attempt or for an attempt's record. */
export const isOpen = (delivery: OwedDelivery): boolean =>
  delivery.state === "queued" || delivery.state === "leased"

/** The open delivery that is due first. */
export const soonestOpen = (destination: DestinationRecord): OwedDelivery | undefined => {
  let soonest: OwedDelivery | undefined
  for (const delivery of destination.deliveries.values()) {
    if (!isOpen(delivery)) continue
    if (soonest === undefined || delivery.dueMillis < soonest.dueMillis) soonest = delivery
  }
  return soonest
}

/** Makes a destination due at a time, unless it is due earlier already. */
export const wakeAt = (destination: DestinationRecord, dueMillis: number): void => {
  destination.dueMillis = Math.min(destination.dueMillis ?? dueMillis, dueMillis)
}

/** Wakes the partition's owner for a destination. */
export const callTo = (state: MemoryState, { id, feed }: DestinationRecord): void =>
  wake(state, { kind: "delivery", partition: partitionOf(state, feed.sellerId), destinationId: id })

/** Makes a destination due now, and wakes its partition's owner for it. */
export const wakeNow = (state: MemoryState, destination: DestinationRecord, nowMillis: number): void => {
  wakeAt(destination, nowMillis)
  callTo(state, destination)
}

const newDelivery = ({ entryId }: EventEntry, nowMillis: number): OwedDelivery => ({
  ...{
    entryId,
    attempts: 0,
    fence: 0,
    state: "queued",
    dueMillis: nowMillis,
    promisedId: undefined,
    manual: false,
    order: undefined,
  },
})

/** Owes an event to a destination, due at once; returns the delivery. */
export const oweNow = (
  state: MemoryState,
  destination: DestinationRecord,
  entry: EventEntry,
  nowMillis: number,
): OwedDelivery => {
  const delivery = newDelivery(entry, nowMillis)
  destination.deliveries.set(entry.entryId, delivery)
  wakeNow(state, destination, nowMillis)
  return delivery
}

/** Takes the turn of the delivery's resource for it, due now, or lets it wait where another has the turn. */
const takeTurn = (
  state: MemoryState,
  destination: DestinationRecord,
  delivery: OwedDelivery,
  { resourceId, seq }: { readonly resourceId: string; readonly seq: number },
  nowMillis: number,
): void => {
  const turn = destination.turns.get(resourceId)
  if (turn !== undefined) {
    delivery.state = "waiting"
    turn.waiting.push({ seq, delivery })
    turn.waiting.sort((left, right) => left.seq - right.seq)
    return
  }
  destination.turns.set(resourceId, { delivery, waiting: [] })
  delivery.state = "queued"
  delivery.dueMillis = nowMillis
  wakeNow(state, destination, nowMillis)
}

/** Owes an event to an endpoint: at once, or where it is ordered in its resource's turn. */
export const oweToEndpoint = (
  state: MemoryState,
  destination: DestinationRecord,
  { ordering }: { readonly ordering?: Ordering },
  entry: EventEntry,
  nowMillis: number,
): void => {
  if (ordering !== "resource") {
    oweNow(state, destination, entry, nowMillis)
    return
  }
  const order = { resourceId: entry.resourceId, seq: entry.seq }
  const delivery = { ...newDelivery(entry, nowMillis), order }
  destination.deliveries.set(entry.entryId, delivery)
  takeTurn(state, destination, delivery, order, nowMillis)
}

/** Owes an ended delivery once more, by hand: at once, or in its turn if it had one and its endpoint is ordered. */
export const oweAgain = (
  state: MemoryState,
  destination: DestinationRecord,
  delivery: OwedDelivery,
  nowMillis: number,
): void => {
  delivery.manual = true
  if (delivery.order !== undefined && state.endpoints.get(destination.id)?.endpoint.ordering === "resource") {
    takeTurn(state, destination, delivery, delivery.order, nowMillis)
    return
  }
  delivery.state = "queued"
  delivery.dueMillis = nowMillis
  wakeNow(state, destination, nowMillis)
}

/** Passes the turn that an ended delivery has, if it has one, to the delivery that waits first. */
export const passTurn = (
  state: MemoryState,
  destination: DestinationRecord,
  ended: OwedDelivery,
  nowMillis: number,
): void => {
  const found = [...destination.turns].find(([, { delivery }]) => delivery === ended)
  if (found === undefined) return
  const [resourceId, turn] = found
  const next = turn.waiting.shift()
  if (next === undefined) {
    destination.turns.delete(resourceId)
    return
  }
  next.delivery.state = "queued"
  next.delivery.dueMillis = nowMillis
  turn.delivery = next.delivery
  wakeNow(state, destination, nowMillis)
}

/** A page of what waits for its turn, by resource and then in order. */
export const waitingPage = (
  typeOf: (entryId: string) => string | undefined,
  turns: DestinationRecord["turns"],
  { afterPosition = "", limit }: { readonly afterPosition: string | undefined; readonly limit: number },
) => {
  const found = [...turns]
    .flatMap(([resourceId, { delivery: turn, waiting }]) =>
      waiting.map(({ seq, delivery: { entryId } }) => ({
        position: `${resourceId} ${String(seq).padStart(16, "0")} ${entryId}`,
        event: { entryId, type: typeOf(entryId) ?? goneEventType, resourceId, turnEntryId: turn.entryId },
      })),
    )
    .filter(({ position }) => position > afterPosition)
    .sort((left, right) => (left.position < right.position ? -1 : 1))
  const events = found.slice(0, limit).map(({ event }) => event)
  return { events, nextAfterPosition: found.length > limit ? found[limit - 1]?.position : undefined }
}

/** Owes an event to the feed's tracker, if it has one for that type. */
const oweToTracker = (state: MemoryState, nowMillis: number, feed: Feed, entry: EventEntry): void => {
  const id = destinationIdOfTracker(feed.sellerId, feed.mode)
  const record = state.trackers.get(id)
  const destination = state.destinations.get(id)
  if (record === undefined || destination === undefined || record.deletedBy !== undefined) return
  if (record.types.includes(entry.type)) oweNow(state, destination, entry, nowMillis)
}

/** Owes an event to the feed's enabled endpoints and tracker for its type, in the step that appends it. */
export const oweToEndpoints = (
  state: MemoryState,
  nowMillis: number,
  feed: Feed,
  entry: EventEntry,
): void => {
  for (const { endpoint, enabled, deleted } of state.endpoints.values()) {
    if (endpoint.sellerId !== feed.sellerId || endpoint.mode !== feed.mode || !enabled || deleted) continue
    if (!endpoint.events.includes("*") && !endpoint.events.includes(entry.type)) continue
    const destination = state.destinations.get(endpoint.id)
    if (destination !== undefined) oweToEndpoint(state, destination, endpoint, entry, nowMillis)
  }
  oweToTracker(state, nowMillis, feed, entry)
}

/** Owes an event to its charge's `postback_url`, as a delivery separate from those to endpoints. */
export const oweToPostback = (
  state: MemoryState,
  nowMillis: number,
  feed: Feed,
  entry: EventEntry,
  postback: PostbackDestination | undefined,
): void => {
  if (postback === undefined || entry.internal) return
  const id = destinationIdOfPostback(feed.sellerId, feed.mode, postback.url)
  let destination = state.destinations.get(id)
  if (destination === undefined) {
    destination = {
      id,
      feed,
      target: "postback",
      url: postback.url,
      deliveries: new Map(),
      turns: new Map(),
      dueMillis: undefined,
    }
    state.destinations.set(id, destination)
  }
  oweNow(state, destination, entry, nowMillis)
}

/** A destination as the port shows it, with its current secrets and whether it is enabled now. */
export const destinationNow = (
  state: MemoryState,
  record: DestinationRecord,
  nowMillis: number,
): Destination => {
  const { sellerId, mode } = record.feed
  const found = state.endpoints.get(record.id)
  const tracker = state.trackers.get(record.id)
  const secret =
    found === undefined ? (state.sellers.get(sellerId)?.postbackSecret?.secret ?? "") : found.endpoint.secret
  const isInGrace = found?.previousSecret !== undefined && found.previousSecret.untilMillis > nowMillis
  const previous = isInGrace ? (found?.previousSecret?.secret ?? "") : ""
  return {
    id: record.id,
    sellerId,
    mode,
    target: record.target,
    url: tracker?.tracker.url ?? found?.endpoint.url ?? record.url,
    urlPassword: found?.endpoint.urlPassword || undefined,
    enabled: tracker?.deletedBy === undefined && (found === undefined || (found.enabled && !found.deleted)),
    isDeleted: tracker?.deletedBy !== undefined || found?.deleted === true,
    headers: tracker?.tracker.headers || undefined,
    secrets: [secret, previous].filter((text) => text !== ""),
  }
}
