import { Effect } from "effect"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import type { exceptionsGroup } from "../../../schema/api/exceptions.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { ResolveExceptions } from "../../accounts/exceptions/resolveExceptions.ts"
import { ResolveMany } from "../../accounts/exceptions/resolveMany.ts"
import { awaitingSecondOperator } from "../../accounts/secondOperator.ts"
import { momentOf } from "../contract/moments.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageOf, pageSize } from "./page.ts"

/** The code of an exception, among others that are resolved, whose act another operator is to ask for too. */
const awaitingSecondOperatorCode = "awaiting_second_operator"

/** Routes of exceptions, for operators. */
export const makeExceptionHandlers = Effect.gen(function* () {
  const store = yield* ExceptionStore
  const { resolve } = yield* ResolveExceptions
  const { resolveMany } = yield* ResolveMany
  const cursors = yield* Cursors

  const handlers: GroupHandlers<typeof exceptionsGroup> = {
    listExceptions: Effect.fnUntraced(function* ({ query }) {
      const { state, kind } = query
      const scope = { list: "exceptions", filters: { state, kind } }
      const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
      const size = pageSize(query.limit)
      const found = yield* store.list({ state, kind, beforeId, limit: size + 1 })
      return pageOf(
        found,
        size,
        ({ document }) => document,
        (last) => cursors.encode(scope, last.id),
      )
    }),
    getException: Effect.fnUntraced(function* ({ params: { id } }) {
      const found = isId("exc_", id) ? yield* store.load(id) : undefined
      if (found === undefined) return yield* resourceNotFound("exception", id)
      return { status: 200, body: found.document }
    }),
    resolveException: Effect.fnUntraced(function* ({ session, params, payload }) {
      const { kind, exception } = yield* resolve({
        exceptionId: params.id,
        act: payload.act,
        reason: payload.reason,
        sellerId: payload.seller_id ?? undefined,
        operatorId: session.userId,
        isWithoutBank: payload.without_bank,
      })
      if (kind === "awaitingSecondOperator") return awaitingSecondOperator
      return { status: 200, body: JSON.stringify(exception) }
    }),
    resolveManyExceptions: Effect.fnUntraced(function* ({ session, payload }) {
      const { ids, kind, created_before: createdBefore, act, reason, seller_id: sellerId } = payload
      const { resolved, awaiting, failed } = yield* resolveMany({
        ids,
        kind,
        act,
        reason,
        sellerId: sellerId ?? undefined,
        operatorId: session.userId,
        createdBeforeMillis: createdBefore === undefined ? undefined : momentOf(createdBefore, "start"),
      })
      if (resolved === 0 && awaiting.length > 0) return awaitingSecondOperator
      const waiting = awaiting.map((id) => ({ id, code: awaitingSecondOperatorCode }))
      return { status: 200, body: JSON.stringify({ resolved, failed: [...failed, ...waiting] }) }
    }),
  }
  return handlers
})
