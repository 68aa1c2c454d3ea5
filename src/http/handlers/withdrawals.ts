import { Effect } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { createWithdrawal } from "../../../actors/seller/operations/createWithdrawal.ts"
import { decideWithdrawal } from "../../../actors/seller/operations/decideWithdrawal.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { balanceGroup, sessionMoneyGroup, withdrawalsGroup } from "../../../schema/api/withdrawals.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { traceIdOfHeader } from "../../../schema/trace.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { makeBalanceHandlers } from "./ledger.ts"
import { keyRevoked, orFail, pageOf, pageSize, windowOf } from "./page.ts"
import { forSession } from "./sessionReads.ts"

/** `listExports.ts` has the files. */
type WithdrawalHandlers = Omit<GroupHandlers<typeof withdrawalsGroup>, "exportWithdrawals">

export type MoneyHandlers = WithdrawalHandlers & GroupHandlers<typeof balanceGroup>

/** Routes of withdrawals. */
const makeWithdrawalHandlers = Effect.gen(function* () {
  const actors = yield* SellerActors
  const store = yield* WithdrawalStore
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const audit = yield* SellerAudit

  /** Finds one of the principal's own; an invalid key is reported before a missing withdrawal. */
  const find = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const found = isId("wd_", id) ? yield* store.get(principal, id) : undefined
    if (found === undefined) return yield* resourceNotFound("withdrawal", id)
    if ("kind" in found) return yield* keyRevoked()
    return found
  })

  const handlers: WithdrawalHandlers = {
    createWithdrawal: Effect.fnUntraced(function* (request) {
      const { principal, payload: body, requestId } = request
      const idempotency = idempotencyScope(identifiers, "withdrawals", request)
      const traceId = traceIdOfHeader(request.header("traceparent"))
      const { mode } = principal
      const { amount, pix_key_id } = body
      const act = yield* audit.act(principal, {
        action: "withdrawal.requested",
        resourceType: "withdrawal",
        details: { mode, amount, pix_key_id },
      })
      const asked = { principal, body, idempotency, requestId, traceId, act }
      const answer = yield* actors.ask(createWithdrawal, asked)
      return yield* createReply(answer)
    }),

    getWithdrawal: ({ params, principal }) =>
      Effect.map(find(principal, params.id), ({ document }) => ({ status: 200, body: document })),

    listWithdrawals: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "withdrawals", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const page = { status: query.status, ...windowOf(query), beforeId, limit: size + 1 }
      const found = yield* store.list(principal, page)
      if ("kind" in found) return yield* keyRevoked()
      return pageOf(
        found,
        size,
        ({ document }) => document,
        (last) => cursors.encode(scope, last.id),
      )
    }),

    cancelWithdrawal: Effect.fnUntraced(function* ({ params, principal }) {
      yield* find(principal, params.id)
      const { document } = yield* actors.ask(decideWithdrawal, {
        withdrawalId: params.id,
        act: "cancel",
        reason: undefined,
        audited: yield* audit.act(principal, {
          action: "withdrawal.cancelled",
          resourceType: "withdrawal",
          details: { mode: principal.mode },
        }),
      })
      return { status: 200, body: document }
    }),
  }
  return handlers
})

/** Routes of withdrawals, balance and ledger. */
export const makeMoneyHandlers = Effect.gen(function* () {
  const handlers: MoneyHandlers = { ...(yield* makeWithdrawalHandlers), ...(yield* makeBalanceHandlers) }
  return handlers
})

/** The same for sessions: only the principal differs, and the step-up was checked before. */
export const sessionMoneyHandlers = (
  handlers: MoneyHandlers,
): Omit<GroupHandlers<typeof sessionMoneyGroup>, "exportMyWithdrawals"> => ({
  createMyWithdrawal: forSession(handlers.createWithdrawal),
  getMyWithdrawal: forSession(handlers.getWithdrawal),
  listMyWithdrawals: forSession(handlers.listWithdrawals),
  cancelMyWithdrawal: forSession(handlers.cancelWithdrawal),
  getMyBalance: forSession(handlers.getBalance),
  getMyBalanceReleases: forSession(handlers.getBalanceReleases),
  listMyLedger: forSession(handlers.listLedger),
})
