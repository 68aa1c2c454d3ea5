import type { AttemptRecord } from "../../actors/ports/deliveryQueue.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import { eventIdOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { raiseAlert } from "./alertStore.ts"
import { trimAttempts } from "./attempts.ts"
import { passTurn, soonestOpen, wakeAt } from "./deliveries.ts"
import { appendEvent } from "./feeds.ts"
import { beginOutage } from "./outages.ts"
import type { DestinationRecord, EndpointRecord, MemoryState, OwedDelivery } from "./state.ts"

const writeRow = (
  state: MemoryState,
  nowMillis: number,
  destination: DestinationRecord,
  record: AttemptRecord,
): void => {
  const { deliveryId, entry, attempt, status, row, detail } = record
  const { id: destinationId, feed, target } = destination
  const eventId = eventIdOf(feed, entry.entryId)
  const event = { entryId: entry.entryId, eventId, eventType: entry.type }
  const outcome = { attempt, status, row, detail, recordedAtMillis: nowMillis }
  state.attempts.set(deliveryId, { deliveryId, feed, destinationId, target, ...event, ...outcome })
  trimAttempts(state, nowMillis)
}

/** Ends the delivery, or queues its next attempt. */
const moveDelivery = (
  state: MemoryState,
  nowMillis: number,
  destination: DestinationRecord,
  delivery: OwedDelivery,
  record: AttemptRecord,
): void => {
  delivery.attempts = record.attempt
  delivery.promisedId = undefined
  delivery.manual = false
  if (record.retryInMillis === undefined) {
    delivery.state = record.status
    passTurn(state, destination, delivery, nowMillis)
    if (soonestOpen(destination) === undefined) destination.dueMillis = undefined
    return
  }
  delivery.state = "queued"
  delivery.dueMillis = nowMillis + record.retryInMillis
  wakeAt(destination, delivery.dueMillis)
}

/**
 * Counts dead deliveries in a row; true if this one disables the endpoint. A delivery counts once: a manual retry that
 * fails again is not another dead delivery.
 */
const isLastStraw = (
  nowMillis: number,
  endpoint: EndpointRecord,
  record: AttemptRecord,
  isManual: boolean,
): boolean => {
  if (record.status === "success") {
    endpoint.deadStreak = 0
    endpoint.lastSuccessMillis = nowMillis
  }
  if (record.status !== "dead" || isManual) return false
  endpoint.deadStreak += 1
  const { enabled, deleted, deadStreak, lastSuccessMillis = Number.NEGATIVE_INFINITY } = endpoint
  const sinceSuccessMillis = nowMillis - lastSuccessMillis
  return (
    enabled &&
    !deleted &&
    deadStreak >= limits.deadStreakMax &&
    sinceSuccessMillis > limits.deadStreakWindowMillis
  )
}

/** Counts failed attempts in a row, and owes an alert of the first that is late enough in a row long enough. */
const countFailures = (
  state: MemoryState,
  nowMillis: number,
  record: EndpointRecord,
  { status }: AttemptRecord,
): void => {
  if (record.deleted) return
  if (status === "success") {
    record.failing = undefined
    return
  }
  record.failing ??= { sinceMillis: nowMillis, attempts: 0, isTold: false }
  const { failing, endpoint } = record
  failing.attempts += 1
  const isFailing =
    failing.attempts >= limits.failingAttemptsMin &&
    nowMillis - failing.sinceMillis >= limits.failingMillisMin
  if (failing.isTold || !isFailing) return
  failing.isTold = true
  const about = `${endpoint.id} ${failing.sinceMillis} ${failing.attempts}`
  raiseAlert(state, nowMillis, endpoint, "endpoint_failing", about)
}

/** Disables the endpoint and appends the event to its feed; the endpoint leaves fan-out before that. */
const disable = (
  state: MemoryState,
  nowMillis: number,
  record: EndpointRecord,
  event: { readonly type: string; readonly data: string },
): void => {
  record.enabled = false
  record.disabledReason = "auto"
  record.autoDisabledAtMillis = nowMillis
  record.deadStreak = 0
  beginOutage(state, record)
  const { sellerId, mode } = record.endpoint
  appendEvent(state, nowMillis, { sellerId, mode }, { ...event, resourceId: sellerId })
}

/** Records an attempt and what follows: the next attempt's time, the delivery's end, the endpoint's disabling. */
export const recordAttempt = (
  state: MemoryState,
  nowMillis: number,
  record: AttemptRecord,
): { readonly kind: "recorded" | "disabledEndpoint" | "stale" } => {
  const destination = state.destinations.get(record.destination.id)
  const delivery = destination?.deliveries.get(record.entry.entryId)
  if (destination === undefined || delivery?.state !== "leased" || delivery.fence !== record.fence) {
    return { kind: "stale" }
  }
  writeRow(state, nowMillis, destination, record)
  const isManual = delivery.manual
  moveDelivery(state, nowMillis, destination, delivery, record)
  // A dropped event says nothing about the receiver.
  if (record.entry.type === goneEventType) return { kind: "recorded" }
  const endpoint = state.endpoints.get(destination.id)
  if (endpoint !== undefined && record.entry.type !== "ping")
    countFailures(state, nowMillis, endpoint, record)
  if (endpoint !== undefined && record.entry.type === "ping") {
    endpoint.lastPing = { atMillis: nowMillis, succeeded: record.status === "success" }
    return { kind: "recorded" }
  }
  if (endpoint === undefined || !isLastStraw(nowMillis, endpoint, record, isManual))
    return { kind: "recorded" }
  if (record.disablingEvent === undefined) return { kind: "recorded" }
  disable(state, nowMillis, endpoint, record.disablingEvent)
  return { kind: "disabledEndpoint" }
}
