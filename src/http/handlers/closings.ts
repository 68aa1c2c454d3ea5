import { Effect } from "effect"
import { ClosingStore } from "../../../actors/ports/closingStore.ts"
import type { closingsGroup } from "../../../schema/api/closings.ts"
import { isCalendarDay } from "../../../schema/api/common.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { closingResource, makeClosingView } from "../../closings/closingView.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageOf, pageSize } from "./page.ts"

/** Routes of closed days, for operators. */
export const makeClosingHandlers = Effect.gen(function* () {
  const store = yield* ClosingStore
  const cursors = yield* Cursors
  const view = yield* makeClosingView

  const handlers: GroupHandlers<typeof closingsGroup> = {
    listClosings: Effect.fnUntraced(function* ({ query }) {
      const { mode = "live" } = query
      const scope = { list: "closings", filters: { mode } }
      const beforeDay = yield* orFail(cursors.decode(scope, query.cursor))
      const size = pageSize(query.limit)
      return pageOf(
        yield* store.list(mode, beforeDay, size + 1),
        size,
        (closing) => JSON.stringify(closingResource(mode, closing)),
        (last) => cursors.encode(scope, last.day),
      )
    }),

    getClosing: Effect.fnUntraced(function* ({ params: { day }, query }) {
      const { mode = "live" } = query
      const scope = { list: "closing", filters: { mode, day } }
      const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
      const page = { beforeId, limit: pageSize(query.limit) }
      const found = isCalendarDay(day) ? yield* view(mode, day, page) : undefined
      if (found === undefined) return yield* resourceNotFound("closing", day)
      const { closing, nextBeforeId } = found
      const next_cursor = nextBeforeId === undefined ? null : cursors.encode(scope, nextBeforeId)
      return { status: 200, body: JSON.stringify({ ...closing, next_cursor }) }
    }),
  }
  return handlers
})
