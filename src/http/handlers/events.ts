import { Effect } from "effect"
import { renderFeedEvent } from "../../../actors/event/envelope.ts"
import { DocumentCipher } from "../../../actors/ports/documentCipher.ts"
import { type EventEntry, EventLog } from "../../../actors/ports/eventLog.ts"
import type { Principal } from "../../../actors/ports/principal.ts"
import type { api } from "../../../schema/api/index.ts"
import { type ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { checkTypesFilter, eventTypeOf, parseTypesFilter, type TypesFilter } from "../../../schema/events.ts"
import { entryIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { FeedHub } from "../../feed/hub.ts"
import { Authenticator } from "../contract/authenticator.ts"
import type { Handlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { eventTypesBody } from "./eventTypes.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"

export type EventHandlers = Pick<
  Handlers<typeof api, never>,
  "listEvents" | "getEvent" | "streamEvents" | "listEventTypes"
>

interface Filters {
  readonly types?: string
  readonly from?: string
  readonly to?: string
  readonly resource_type?: string
  readonly resource_id?: string
}

const typesFilter = (types: string | undefined): TypesFilter | undefined | ApiError => {
  if (types === undefined) return undefined
  const filter = parseTypesFilter(types, limits.typesFilterMax)
  if (filter !== undefined) return checkTypesFilter(types) ?? filter
  return validationFailed(
    "types",
    `types must be a comma-separated list of at most ${limits.typesFilterMax} event types or families, like transaction.paid,withdrawal.* for example.`,
  )
}

/** Routes of the event feed. */
export const makeEventHandlers = Effect.gen(function* () {
  const log = yield* EventLog
  const cipher = yield* DocumentCipher
  const cursors = yield* Cursors
  const authenticator = yield* Authenticator
  const feedHub = yield* FeedHub

  const matcher = (filters: Filters, types: TypesFilter | undefined) => (entry: EventEntry) =>
    (types === undefined || types.matches(entry.type)) &&
    (filters.resource_type === undefined ||
      eventTypeOf(entry.type)?.resourceType === filters.resource_type) &&
    (filters.resource_id === undefined || entry.resourceId === filters.resource_id)

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

  const pageOfResource = (entries: ReadonlyArray<EventEntry>, before: string | undefined, size: number) => {
    const start = before === undefined ? 0 : entries.findIndex(({ entryId }) => entryId === before) + 1
    const found = entries.slice(start, start + size)
    const next = start + size < entries.length ? found.at(-1)?.entryId : undefined
    return { found, next }
  }

  const handlers: EventHandlers = {
    listEvents: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const types = yield* orFail(typesFilter(query.types))
      const scope = { list: "events", principal, filters }
      const before = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const matches = matcher(filters, types)
      const { resource_id } = query
      const read =
        // The seller's own events have no index; only the feed has them.
        resource_id === undefined || resource_id === principal.sellerId
          ? scan(principal, filters, before, size, matches)
          : Effect.map(readOfResource(principal, resource_id, filters), (entries) =>
              pageOfResource(entries.filter(matches), before, size),
            )
      const [, { found, next }] = yield* Effect.all([authenticator.confirm(principal), read], {
        concurrency: 2,
      })
      return pageReply(
        found.map((entry) => renderFeedEvent(principal, entry, cipher.restore)),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
    }),

    getEvent: Effect.fnUntraced(function* ({ params, principal }) {
      const entryId = entryIdOf(principal, params.id)
      const read = entryId === undefined ? Effect.succeed([]) : log.getMany(principal, [entryId])
      const [, [entry]] = yield* Effect.all([authenticator.confirm(principal), read], { concurrency: 2 })
      if (entry === undefined) return yield* resourceNotFound("event", params.id)
      return { status: 200, body: renderFeedEvent(principal, entry, cipher.restore) }
    }),

    streamEvents: Effect.fnUntraced(function* (request) {
      const { query, principal } = request
      const types = yield* orFail(typesFilter(query.types))
      if (query.mode !== undefined && query.mode !== principal.mode) {
        return yield* validationFailed(
          "mode",
          `This API key is for ${principal.mode}. Omit mode, or use a ${query.mode} key.`,
        )
      }
      yield* authenticator.confirm(principal)
      const stream = yield* feedHub.open({
        feed: principal,
        types,
        // The header takes precedence over the query (`docs/contract/events.md#last-event-id`).
        lastEventId: request.header("last-event-id") ?? query.last_event_id,
        credentialId: principal.keyId,
      })
      // Checked again: a key revoked before the stream could learn of it must not keep a stream.
      yield* authenticator.confirm(principal)
      return { stream }
    }),

    listEventTypes: ({ principal }) =>
      Effect.map(authenticator.confirm(principal), () => ({ status: 200, body: eventTypesBody })),
  }
  return handlers
})
