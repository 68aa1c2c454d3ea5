import { Effect } from "effect"
import type { insightsGroup } from "../../../schema/api/insights.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeRequestLists } from "./requestLists.ts"
import { makeSearch } from "./search.ts"
import { makeSeries } from "./series.ts"

/** Routes of what a dashboard plots and looks up. */
export const makeInsightHandlers = Effect.gen(function* () {
  const search = yield* makeSearch
  const series = yield* makeSeries
  const requestLists = yield* makeRequestLists

  const handlers: GroupHandlers<typeof insightsGroup> = {
    getSeries: Effect.fnUntraced(function* ({ query, principal }) {
      return { status: 200, body: JSON.stringify({ data: yield* series(principal, query) }) }
    }),
    ...requestLists,
    search: Effect.fnUntraced(function* ({ query: { q }, principal }) {
      return { status: 200, body: JSON.stringify({ data: yield* search(principal, q) }) }
    }),
  }
  return handlers
})
