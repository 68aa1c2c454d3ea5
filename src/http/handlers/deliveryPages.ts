import { Effect } from "effect"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { goneEventType } from "../../../actors/values/goneEvent.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { parseAttempt } from "../../../actors/values/storedDocuments.ts"
import { checkTypeFilter } from "../../../schema/eventChecks.ts"
import { limits } from "../../../schema/limits.ts"
import type { AttemptStatus } from "../../../schema/resources/delivery.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { keyRevoked, orFail, windowOf } from "./page.ts"

/** Which deliveries are asked for. */
export interface DeliveryFilters {
  readonly from?: string
  readonly to?: string
  readonly endpoint_id?: string
  readonly event_id?: string
  readonly resource_id?: string
  readonly event_type?: string
  readonly status?: AttemptStatus
}

/** Makes the functions that read a seller's deliveries by a list's filters. */
export const makeDeliveryPages = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const log = yield* EventLog
  const { windowIn } = yield* makeClockWindows

  /** Makes the reader of pages of the rows that fit, newest first. 400 `invalid_event_type` at `event_type`. */
  const reader = Effect.fnUntraced(function* (principal: Principal, filters: DeliveryFilters) {
    // Attempts of events that were gone when they were due are of no type of the catalog.
    const eventType = filters.event_type === goneEventType ? undefined : filters.event_type
    yield* orFail(checkTypeFilter("event_type", eventType))
    const entryIds =
      filters.resource_id === undefined
        ? undefined
        : yield* log.entriesOfResource(principal, filters.resource_id)
    const window = yield* windowIn(principal, windowOf(filters))
    return Effect.fnUntraced(function* (beforeId: string | undefined, limit: number) {
      const page = yield* queue.list(principal, {
        entryIds,
        endpointId: filters.endpoint_id,
        eventId: filters.event_id,
        eventType: filters.event_type,
        status: filters.status,
        ...window,
        beforeId,
        limit,
      })
      return "kind" in page ? yield* keyRevoked() : page
    })
  })

  /**
   * The ids of the newest attempts that fit, one of each delivery; undefined where there are more than `max`, or too many to look
   * through.
   */
  const newestOfEach = Effect.fnUntraced(function* (
    principal: Principal,
    filters: DeliveryFilters,
    max: number,
  ) {
    const read = yield* reader(principal, filters)
    const found = new Map<string, string>()
    let beforeId: string | undefined
    for (let pages = 0; pages < limits.bulkPagesMax; pages++) {
      const { rows, nextBeforeId } = yield* read(beforeId, limits.pageSizeMax)
      for (const row of rows) {
        const { id, target, endpoint_id, target_host, event_id } = parseAttempt(row)
        const delivery = JSON.stringify([target, endpoint_id, target_host, event_id])
        if (!found.has(delivery)) found.set(delivery, id)
      }
      if (found.size > max) return undefined
      if (nextBeforeId === undefined) return [...found.values()]
      beforeId = nextBeforeId
    }
    return undefined
  })

  return { reader, newestOfEach }
})
