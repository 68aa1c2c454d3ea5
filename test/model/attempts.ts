import type { AttemptPage } from "../../actors/ports/deliveryQueue.ts"
import { type Feed, timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isOpen } from "./deliveries.ts"
import type { AttemptRow, MemoryState } from "./state.ts"

/** An attempt of this seller and mode. */
export const attemptOf = (state: MemoryState, owner: Feed, deliveryId: string): AttemptRow | undefined => {
  const found = state.attempts.get(deliveryId)
  return found?.feed.sellerId === owner.sellerId && found.feed.mode === owner.mode ? found : undefined
}

const matches = (attempt: AttemptRow, page: AttemptPage): boolean => {
  const { endpointId, eventId, entryIds, eventType, status } = page
  const { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY } = page
  const millis = timeOfId(attempt.deliveryId)
  return (
    (endpointId === undefined || (attempt.target === "endpoint" && attempt.destinationId === endpointId)) &&
    (eventId === undefined || attempt.eventId === eventId) &&
    (entryIds === undefined || entryIds.includes(attempt.entryId)) &&
    (eventType === undefined || attempt.eventType === eventType) &&
    (status === undefined || attempt.status === status) &&
    millis >= fromMillis &&
    millis <= toMillis
  )
}

/** A page of rows, newest first; it ends early, with an id to go on from, after many rows that do not match. */
export const attemptPage = (state: MemoryState, owner: Feed, page: AttemptPage) => {
  const older = [...state.attempts.values()]
    .filter(({ feed }) => feed.sellerId === owner.sellerId && feed.mode === owner.mode)
    .filter(({ deliveryId }) => page.beforeId === undefined || deliveryId < page.beforeId)
    .sort((left, right) => (left.deliveryId < right.deliveryId ? 1 : -1))
  const rows: Array<string> = []
  let scanned = 0
  for (const attempt of older.slice(0, limits.filterScanEntriesMax)) {
    if (rows.length === page.limit) break
    if (matches(attempt, page)) rows.push(attempt.row)
    scanned += 1
  }
  return { rows, nextBeforeId: scanned < older.length ? older[scanned - 1]?.deliveryId : undefined }
}

/** Drops attempts past retention, and an ended delivery with its last attempt. */
export const trimAttempts = (state: MemoryState, nowMillis: number): void => {
  for (const attempt of state.attempts.values()) {
    if (attempt.recordedAtMillis >= nowMillis - state.options.eventRetentionMillis) return
    state.attempts.delete(attempt.deliveryId)
    const deliveries = state.destinations.get(attempt.destinationId)?.deliveries
    const delivery = deliveries?.get(attempt.entryId)
    if (delivery !== undefined && !isOpen(delivery) && delivery.attempts === attempt.attempt) {
      deliveries?.delete(attempt.entryId)
    }
  }
}
