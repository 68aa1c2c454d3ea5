import { eventIdOf, type Feed } from "../../schema/ids.ts"
import { traceIdOf } from "../../schema/trace.ts"
import type { EventEntry } from "../ports/eventLog.ts"
import { type TestEvent, testEventOf } from "./testEvent.ts"

/** Renders an entry's stored data; `ChargeRenderer.render` in the service. */
export type RenderCharge = (data: string) => string

let cachedSecond = -1
let cachedText = ""

/**
 * When an entry was written, by its seller's clock: the milliseconds of its id, and by how far a test clock was ahead, as ISO 8601 UTC,
 * `2026-11-21T00:07:35.123Z` (docs/contract/events.md#envelope). The text of the last second is kept, since entries of a batch share it.
 */
export const createdAtOf = ({
  entryId,
  aheadMillis = 0,
}: Pick<EventEntry, "entryId" | "aheadMillis">): string => {
  const millis = Number(entryId.slice(0, entryId.indexOf("-"))) + aheadMillis
  const second = Math.floor(millis / 1000)
  if (second !== cachedSecond) {
    cachedText = new Date(second * 1000).toISOString().slice(0, 20)
    cachedSecond = second
  }
  const rest = millis - second * 1000
  return `${cachedText}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`
}

/** The trace of an event is that of its resource; sellers and pings have none. */
const traceMember = (entry: EventEntry): string => {
  const traceId = traceIdOf(entry.data)
  return traceId === undefined ? "" : `,"trace_id":"${traceId}"`
}

/** The members that both forms share, up to `trace_id`. Types come from the catalog and need no escaping. */
const head = (feed: Feed, entry: EventEntry, id: string): string =>
  `{"id":"${id}","object":"event","type":"${entry.type}","mode":"${feed.mode}","created_at":"${createdAtOf(entry)}","seq":${entry.seq}${traceMember(entry)}`

const feedText = (feed: Feed, entry: EventEntry, id: string, renderCharge: RenderCharge): string =>
  `${head(feed, entry, id)},"internal":${entry.internal},"data":{"object":${renderCharge(entry.data)}}}`

/** Renders the envelope of the feed (list, single event, SSE) as JSON text (docs/contract/events.md#envelope). */
export const renderFeedEvent = (feed: Feed, entry: EventEntry, renderCharge: RenderCharge): string =>
  feedText(feed, entry, eventIdOf(feed, entry.entryId), renderCharge)

/** A test event never happened, so it has the mode in which no money moves, whatever the endpoint's. */
const testEventText = (feed: Feed, entry: EventEntry, { type, object }: TestEvent): string => {
  const data = JSON.stringify(object)
  const shown = head({ ...feed, mode: "test" }, { ...entry, type, data }, eventIdOf(feed, entry.entryId))
  return `${shown},"test_event":true,"data":{"object":${data}}}`
}

/**
 * Renders the envelope of deliveries, which has no `internal`, as JSON text (docs/contract/deliveries.md#payload). A ping that
 * holds a test event is rendered as that event.
 */
export const renderDeliveryEvent = (feed: Feed, entry: EventEntry, renderCharge: RenderCharge): string => {
  const testEvent = testEventOf(entry)
  if (testEvent !== undefined) return testEventText(feed, entry, testEvent)
  return `${head(feed, entry, eventIdOf(feed, entry.entryId))},"data":{"object":${renderCharge(entry.data)}}}`
}

/** Renders an event's SSE frame: id, type and envelope. JSON text holds no raw line breaks (docs/contract/events.md#frames). */
export const renderEventFrame = (feed: Feed, entry: EventEntry, renderCharge: RenderCharge): string => {
  const id = eventIdOf(feed, entry.entryId)
  return `id: ${id}\nevent: ${entry.type}\ndata: ${feedText(feed, entry, id, renderCharge)}\n\n`
}
