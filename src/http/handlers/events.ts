import { Clock, Effect } from "effect"
import { renderFeedEvent } from "../../../actors/event/envelope.ts"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import type { api } from "../../../schema/api/index.ts"
import { type ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { readTypesFilter, type TypesFilter } from "../../../schema/eventChecks.ts"
import { entryIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { FeedHub } from "../../feed/hub.ts"
import { Authenticator } from "../contract/authenticator.ts"
import type { Handlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { Cursors } from "./cursors.ts"
import { makeEventPages } from "./eventPages.ts"
import { eventTypesBody } from "./eventTypes.ts"
import { keyRevoked, orFail, pageReply, pageSize, windowOf } from "./page.ts"

export type EventHandlers = Pick<
  Handlers<typeof api, never>,
  "listEvents" | "getEvent" | "streamEvents" | "listEventTypes"
>

const typesFilter = (types: string | undefined): TypesFilter | undefined | ApiError<"validation_failed"> =>
  types === undefined ? undefined : readTypesFilter(types, limits.typesFilterMax)

/** Routes of the event feed. */
export const makeEventHandlers = Effect.gen(function* () {
  const log = yield* EventLog
  const charges = yield* ChargeRenderer
  const cursors = yield* Cursors
  const authenticator = yield* Authenticator
  const feedHub = yield* FeedHub
  const readPage = makeEventPages(log)
  const { windowIn, shownAt } = yield* makeClockWindows

  const handlers: EventHandlers = {
    listEvents: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const types = yield* orFail(typesFilter(query.types))
      const scope = { list: "events", principal, filters }
      const before = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const read = Effect.flatMap(windowIn(principal, windowOf(query)), (window) =>
        readPage(principal, { filters, window, types, before, size }),
      )
      const [, { found, next }] = yield* Effect.all([authenticator.confirm(principal), read], {
        concurrency: 2,
      })
      const page = pageReply(
        found.map((entry) => renderFeedEvent(principal, entry, charges.render)),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
      // What happened until then and is not here happened later: so a follower begins exactly at a moment of its own.
      const nowMillis = yield* shownAt(principal, yield* Clock.currentTimeMillis)
      const time = new Date(nowMillis).toISOString()
      return { ...page, headers: [["X-Server-Time", time]] }
    }),

    getEvent: Effect.fnUntraced(function* ({ params, principal }) {
      const entryId = entryIdOf(principal, params.id)
      const read = entryId === undefined ? Effect.succeed([]) : log.getMany(principal, [entryId])
      const [, [entry]] = yield* Effect.all([authenticator.confirm(principal), read], { concurrency: 2 })
      if (entry === undefined) return yield* resourceNotFound("event", params.id)
      return { status: 200, body: renderFeedEvent(principal, entry, charges.render) }
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
      const stream = yield* feedHub
        .open({
          feed: principal,
          types,
          // The header takes precedence over the query (`docs/contract/events.md#last-event-id`).
          lastEventId: request.header("last-event-id") ?? query.last_event_id,
          credentialId: principal.keyId,
          keyHash: principal.keyHash,
        })
        .pipe(Effect.catchTag("KeyRevoked", keyRevoked))
      return { stream }
    }),

    listEventTypes: ({ principal }) =>
      Effect.map(authenticator.confirm(principal), () => ({ status: 200, body: eventTypesBody() })),
  }
  return handlers
})
