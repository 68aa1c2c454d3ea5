import { Effect } from "effect"
import { type LoggedEntry, RequestLogStore } from "../../../actors/ports/requestLogStore.ts"
import type { insightsGroup, RequestStatus } from "../../../schema/api/insights.ts"
import { limits } from "../../../schema/limits.ts"
import type { LoggedRequest } from "../../../schema/resources/loggedRequest.ts"
import type { RequestError } from "../../../schema/resources/requestError.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"

/** A route's path as OpenAPI and callers write it: `{id}` for `:id`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const shownRequest = (entry: LoggedEntry): LoggedRequest => ({
  id: entry.requestId,
  at: new Date(entry.atMillis).toISOString(),
  method: entry.method,
  route: templateOf(entry.route),
  status: entry.status,
  ms: entry.millis,
  key_id: entry.apiKeyId ?? null,
  ip_address: entry.ipAddress ?? null,
  idempotency_key: entry.idempotencyKey ?? null,
  error_code: entry.error?.code ?? null,
  error_param: entry.error?.param ?? null,
  error_message: entry.error?.message ?? null,
})

const shownError = (entry: LoggedEntry): RequestError => ({
  at: new Date(entry.atMillis).toISOString(),
  request_id: entry.requestId,
  method: entry.method,
  route: entry.route,
  status: entry.status,
  code: entry.error?.code ?? "",
  param: entry.error?.param ?? null,
  message: entry.error?.message ?? "",
  api_key_id: entry.apiKeyId ?? null,
})

const outcomeOf = (status: RequestStatus | undefined) =>
  status === undefined ? "all" : status === "2xx" ? "answered" : "refused"

const isOfStatus = (wanted: RequestStatus | undefined, status: number): boolean =>
  wanted === undefined || wanted === "error" || wanted[0] === String(status)[0]

/** The lists of a seller's request log (docs/contract/request-log.md). */
export const makeRequestLists = Effect.gen(function* () {
  const log = yield* RequestLogStore
  const cursors = yield* Cursors

  const handlers: Pick<GroupHandlers<typeof insightsGroup>, "listRequests" | "listRequestErrors"> = {
    listRequests: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "requests", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const { entries, nextBeforeId } = yield* log.list(principal, {
        outcome: outcomeOf(query.status),
        beforeId,
        limit: pageSize(limit),
        ...windowOf(query),
        matches: ({ status, apiKeyId, route }) =>
          isOfStatus(query.status, status) &&
          (query.key_id === undefined || apiKeyId === query.key_id) &&
          (query.route === undefined || templateOf(route) === query.route),
      })
      return pageReply(
        entries.map((entry) => JSON.stringify(shownRequest(entry))),
        nextBeforeId === undefined ? undefined : cursors.encode(scope, nextBeforeId),
      )
    }),

    listRequestErrors: Effect.fnUntraced(function* ({ principal }) {
      const wanted = { outcome: "refused", beforeId: undefined, limit: limits.requestErrorsMax } as const
      const { entries } = yield* log.list(principal, wanted)
      return { status: 200, body: JSON.stringify({ data: entries.map(shownError) }) }
    }),
  }
  return handlers
})
