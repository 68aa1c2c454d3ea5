import { Effect } from "effect"
import type { EventEntry, EventLog } from "../../../actors/ports/eventLog.ts"
import type { TimeWindow } from "../../../actors/values/clockSteps.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { TypesFilter } from "../../../schema/eventChecks.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import { type EntryPage, entriesBefore, scanEntries } from "./page.ts"

/** The filters of the list of events, but for `types`. */
interface Filters {
  readonly types?: string
  readonly resource_type?: string
  readonly resource_id?: string
}

/** What a page of events is read by. */
export interface EventPageQuery {
  readonly filters: Filters
  /** In true time. */
  readonly window: TimeWindow
  readonly types: TypesFilter | undefined
  /** The entry id after which, going back, the page begins; undefined: the newest. */
  readonly before: string | undefined
  readonly size: number
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
    { fromMillis, toMillis }: TimeWindow,
  ) {
    const entryIds = yield* log.entriesOfResource(principal, resourceId)
    const entries = yield* log.getMany(principal, entryIds)
    return entries.toReversed().filter(({ entryId }) => {
      const millis = Number(entryId.split("-")[0])
      return (
        (fromMillis === undefined || millis >= fromMillis) && (toMillis === undefined || millis <= toMillis)
      )
    })
  })

  const scan = (
    principal: Principal,
    { window: { fromMillis, toMillis }, before, size }: EventPageQuery,
    matches: (entry: EventEntry) => boolean,
  ) => {
    const window = {
      ...(fromMillis === undefined ? {} : { fromMillis }),
      ...(toMillis === undefined ? {} : { toMillis }),
    }
    const read = (position: string | undefined, count: number) =>
      log.readBefore(principal, position, window, count)
    return scanEntries({ before, size, matches, read })
  }

  return (
    principal: Principal,
    query: EventPageQuery,
  ): Effect.Effect<EntryPage<EventEntry>, StoreUnavailable> => {
    const { filters, window, types, before, size } = query
    const matches = matcher(filters, types)
    const { resource_id } = filters
    // The seller's own events have no index; only the feed has them.
    return resource_id === undefined || resource_id === principal.sellerId
      ? scan(principal, query, matches)
      : Effect.map(readOfResource(principal, resource_id, window), (entries) =>
          pageOfResource(entries.filter(matches), before, size),
        )
  }
}
