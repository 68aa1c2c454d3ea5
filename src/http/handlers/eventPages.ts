import { Effect } from "effect"
import type { EventEntry, EventLog } from "../../../actors/ports/eventLog.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { eventTypeOf, type TypesFilter } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import { entriesBefore, windowOf } from "./page.ts"

/** The filters of the list of events, but for `types`. */
interface Filters {
  readonly types?: string
  readonly from?: string
  readonly to?: string
  readonly resource_type?: string
  readonly resource_id?: string
}

/** What a page of events is read by. */
export interface EventPageQuery {
  readonly filters: Filters
  readonly types: TypesFilter | undefined
  /** The entry id after which, going back, the page begins; undefined: the newest. */
  readonly before: string | undefined
  readonly size: number
}

/** A page, newest first; `next` is where the following one begins, if there may be one. */
export interface EventPage {
  readonly found: ReadonlyArray<EventEntry>
  readonly next: string | undefined
}

const matcher = (filters: Filters, types: TypesFilter | undefined) => (entry: EventEntry) =>
  (types === undefined || types.matches(entry.type)) &&
  (filters.resource_type === undefined || eventTypeOf(entry.type)?.resourceType === filters.resource_type) &&
  (filters.resource_id === undefined || entry.resourceId === filters.resource_id)

const pageOfResource = (entries: ReadonlyArray<EventEntry>, before: string | undefined, size: number) => {
  const left = entriesBefore(entries, before)
  const found = left.slice(0, size)
  const next = size < left.length ? found.at(-1)?.entryId : undefined
  return { found, next }
}

/** Makes the function that reads pages of a feed, by the index of a resource where one is asked for. */
export const makeEventPages = (log: EventLog["Service"]) => {
  /** Reads the few events of one resource by its index, so that no scan is needed. */
  const readOfResource = Effect.fnUntraced(function* (
    principal: Principal,
    resourceId: string,
    filters: Filters,
  ) {
    const { fromMillis, toMillis } = windowOf(filters)
    const entryIds = yield* log.entriesOfResource(principal, resourceId)
    const entries = yield* log.getMany(principal, entryIds)
    return entries.toReversed().filter(({ entryId }) => {
      const millis = Number(entryId.split("-")[0])
      return (
        (fromMillis === undefined || millis >= fromMillis) && (toMillis === undefined || millis <= toMillis)
      )
    })
  })

  /** Reads back until the page is full, the feed ends, or enough entries were examined; then the page is short. */
  const scan = Effect.fnUntraced(function* (
    principal: Principal,
    filters: Filters,
    before: string | undefined,
    size: number,
    matches: (entry: EventEntry) => boolean,
  ) {
    const { fromMillis, toMillis } = windowOf(filters)
    const window = {
      ...(fromMillis === undefined ? {} : { fromMillis }),
      ...(toMillis === undefined ? {} : { toMillis }),
    }
    const found: Array<EventEntry> = []
    let position = before
    // Grows, because a filter that matches little must not cost a round trip for every few entries.
    let step = size + 1
    for (let scanned = 0; scanned < limits.filterScanEntriesMax; ) {
      const entries = yield* log.readBefore(principal, position, window, step)
      for (const entry of entries) {
        if (matches(entry)) {
          if (found.length === size) return { found, next: position }
          found.push(entry)
        }
        position = entry.entryId
      }
      if (entries.length < step) return { found, next: undefined }
      scanned += entries.length
      step = Math.min(step * 2, limits.replayBatchEntries)
    }
    return { found, next: position }
  })

  return (principal: Principal, query: EventPageQuery): Effect.Effect<EventPage, StoreUnavailable> => {
    const { filters, types, before, size } = query
    const matches = matcher(filters, types)
    const { resource_id } = filters
    // The seller's own events have no index; only the feed has them.
    return resource_id === undefined || resource_id === principal.sellerId
      ? scan(principal, filters, before, size, matches)
      : Effect.map(readOfResource(principal, resource_id, filters), (entries) =>
          pageOfResource(entries.filter(matches), before, size),
        )
  }
}
