import { Effect } from "effect"
import { RequestErrorStore, type StoredRequestError } from "../../../actors/ports/requestErrorStore.ts"
import type { insightsGroup } from "../../../schema/api/insights.ts"
import type { RequestError } from "../../../schema/resources/requestError.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeSearch } from "./search.ts"
import { makeSeries } from "./series.ts"

const shownError = (error: StoredRequestError): RequestError => ({
  at: new Date(error.atMillis).toISOString(),
  request_id: error.requestId,
  method: error.method,
  route: error.route,
  status: error.status,
  code: error.code,
  param: error.param ?? null,
  message: error.message,
  api_key_id: error.apiKeyId ?? null,
})

/** Routes of what a dashboard plots and looks up. */
export const makeInsightHandlers = Effect.gen(function* () {
  const search = yield* makeSearch
  const series = yield* makeSeries
  const requestErrors = yield* RequestErrorStore

  const handlers: GroupHandlers<typeof insightsGroup> = {
    getSeries: Effect.fnUntraced(function* ({ query, principal }) {
      return { status: 200, body: JSON.stringify({ data: yield* series(principal, query) }) }
    }),
    listRequestErrors: ({ principal }) =>
      Effect.map(requestErrors.list(principal), (errors) => ({
        status: 200,
        body: JSON.stringify({ data: errors.map(shownError) }),
      })),
    search: Effect.fnUntraced(function* ({ query: { q }, principal }) {
      return { status: 200, body: JSON.stringify({ data: yield* search(principal, q) }) }
    }),
  }
  return handlers
})
