import { type ClaimedDelivery, DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { isKeyValid } from "./access.ts"
import { attemptOf, attemptPage } from "./attempts.ts"
import { destinationNow, isOpen, oweAgain, soonestOpen } from "./deliveries.ts"
import { keptEntry } from "./feeds.ts"
import { recordAttempt } from "./recordAttempt.ts"
import { datedEntries } from "./sellerClock.ts"
import {
  atomicStep,
  type DestinationRecord,
  type MemoryState,
  type OwedDelivery,
  partitionOf,
} from "./state.ts"

const millisUntil = (dueMillis: number | undefined, nowMillis: number): number | undefined =>
  dueMillis === undefined ? undefined : Math.max(0, dueMillis - nowMillis)

const dueDestinations = (state: MemoryState, nowMillis: number, partition: number, skip: number) => {
  const bySoonest = [...state.destinations.values()]
    .filter(
      ({ feed, dueMillis }) => dueMillis !== undefined && partitionOf(state, feed.sellerId) === partition,
    )
    .sort((left, right) => (left.dueMillis ?? 0) - (right.dueMillis ?? 0))
  const due = bySoonest.filter(({ dueMillis = 0 }) => dueMillis <= nowMillis)
  return {
    destinationIds: due.slice(skip, skip + limits.dueDestinationsPerLook).map(({ id }) => id),
    nextInMillis: millisUntil(bySoonest[due.length]?.dueMillis, nowMillis),
  }
}

/** Stands in for an entry that is no longer kept. */
const goneEntry = (entryId: string): EventEntry => ({
  ...{ entryId, seq: 0, type: goneEventType, resourceId: "", internal: false, data: "" },
})

/** Takes the lease of one due delivery. */
const lease = (
  state: MemoryState,
  nowMillis: number,
  destination: DestinationRecord,
  delivery: OwedDelivery,
): ClaimedDelivery => {
  const kept = keptEntry(state, destination.feed, delivery.entryId) ?? goneEntry(delivery.entryId)
  const [entry = kept] = datedEntries(state, destination.feed, [kept])
  delivery.state = "leased"
  delivery.dueMillis = nowMillis + limits.deliveryLeaseMillis
  delivery.fence += 1
  return {
    destination: destinationNow(state, destination, nowMillis),
    entry,
    attempt: delivery.attempts + 1,
    deliveryId: delivery.promisedId,
    fence: delivery.fence,
    manual: delivery.manual,
  }
}

const claim = (state: MemoryState, nowMillis: number, destinationId: string, deliveriesMax: number) => {
  const destination = state.destinations.get(destinationId)
  if (destination === undefined) return { claimed: [], nextInMillis: undefined }
  const claimed = [...destination.deliveries.values()]
    .filter((delivery) => isOpen(delivery) && delivery.dueMillis <= nowMillis)
    .sort((left, right) => left.dueMillis - right.dueMillis)
    .slice(0, deliveriesMax)
    .map((delivery) => lease(state, nowMillis, destination, delivery))
  const next = soonestOpen(destination)?.dueMillis
  // What is due and was not claimed is left to this claimer, which claims it once it has room. If the claimer dies,
  // the destination is due again when the leases end.
  const isMoreDue = next !== undefined && next <= nowMillis
  destination.dueMillis = isMoreDue ? nowMillis + limits.deliveryLeaseMillis : next
  return { claimed, nextInMillis: millisUntil(next, nowMillis) }
}

const retry = (
  state: MemoryState,
  nowMillis: number,
  principal: Principal,
  deliveryId: string,
  newDeliveryId: string,
): { readonly kind: "queued" | "missing" | "succeeded" | "scheduled" | "expired" } => {
  const attempt = attemptOf(state, principal, deliveryId)
  if (attempt === undefined) return { kind: "missing" }
  const destination = state.destinations.get(attempt.destinationId)
  const delivery = destination?.deliveries.get(attempt.entryId)
  if (destination === undefined || delivery === undefined) return { kind: "expired" }
  if (delivery.promisedId === newDeliveryId || state.attempts.has(newDeliveryId)) return { kind: "queued" }
  if (delivery.state === "success") return { kind: "succeeded" }
  if (isOpen(delivery) || delivery.state === "waiting") return { kind: "scheduled" }
  if (keptEntry(state, attempt.feed, attempt.entryId) === undefined) return { kind: "expired" }
  delivery.promisedId = newDeliveryId
  oweAgain(state, destination, delivery, nowMillis)
  return { kind: "queued" }
}

/** DeliveryQueue over the memory state. A lease is the delivery's due time moved to the lease's end. */
export const makeDeliveryQueue = (state: MemoryState): DeliveryQueue["Service"] =>
  DeliveryQueue.of({
    dueDestinations: (partition, skip) =>
      atomicStep(state, (nowMillis) => dueDestinations(state, nowMillis, partition, skip)),

    claim: (destinationId, deliveriesMax) =>
      atomicStep(state, (nowMillis) => claim(state, nowMillis, destinationId, deliveriesMax)),

    record: (record) => atomicStep(state, (nowMillis) => recordAttempt(state, nowMillis, record)),

    retry: (principal, deliveryId, newDeliveryId) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal)
          ? retry(state, nowMillis, principal, deliveryId, newDeliveryId)
          : { kind: "keyInvalid" },
      ),

    get: (principal, deliveryId) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = attemptOf(state, principal, deliveryId)
        return found && { row: found.row, detail: found.detail, eventId: found.eventId }
      }),

    list: (principal, page) =>
      atomicStep(state, (nowMillis) =>
        isKeyValid(state, nowMillis, principal)
          ? attemptPage(state, principal, page)
          : { kind: "keyInvalid" },
      ),
  })
