import type { RecoveryWindow } from "../../actors/ports/endpointStore.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { limits } from "../../schema/limits.ts"
import { compareEntryIds, entryMillis, feedState } from "./feeds.ts"
import type { EndpointRecord, MemoryState } from "./state.ts"

/** Notes that an endpoint is disabled from now on. */
export const beginOutage = (state: MemoryState, record: EndpointRecord): void => {
  const afterEntryId = feedState(state, record.endpoint).newestEntryId
  record.outages.push({ afterEntryId, upToEntryId: undefined })
}

/** Notes that it is enabled again. The two oldest periods become one where there would be too many. */
export const endOutage = (state: MemoryState, record: EndpointRecord): void => {
  const outage = record.outages.at(-1)
  if (outage === undefined) return
  outage.upToEntryId = feedState(state, record.endpoint).newestEntryId
  if (outage.upToEntryId === outage.afterEntryId) record.outages.pop()
  const [first, second] = record.outages
  if (record.outages.length <= limits.endpointOutagesMax || first === undefined || second === undefined)
    return
  record.outages.splice(0, 2, { afterEntryId: first.afterEntryId, upToEntryId: second.upToEntryId })
}

/** The kept events of a window that happened while an endpoint was disabled, and that it subscribes to now. */
export const missedEntries = (
  state: MemoryState,
  nowMillis: number,
  { endpoint, outages }: EndpointRecord,
  { fromMillis, toMillis }: RecoveryWindow,
): ReadonlyArray<EventEntry> => {
  const oldestMillis = nowMillis - state.options.eventRetentionMillis
  const wasDisabledAt = (entryId: string) =>
    outages.some(
      ({ afterEntryId, upToEntryId }) =>
        upToEntryId !== undefined &&
        compareEntryIds(entryId, afterEntryId) > 0 &&
        compareEntryIds(entryId, upToEntryId) <= 0,
    )
  return feedState(state, endpoint).entries.filter(({ entryId, type, internal }) => {
    const atMillis = entryMillis(entryId)
    const isKept = atMillis > oldestMillis && atMillis >= fromMillis && atMillis <= toMillis
    const isSubscribed = endpoint.events.includes("*") || endpoint.events.includes(type)
    return isKept && !internal && type !== "ping" && isSubscribed && wasDisabledAt(entryId)
  })
}
