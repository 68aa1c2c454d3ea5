import { Clock, Effect } from "effect"
import { type StoredWithdrawal, WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { approvalRefusal } from "../../../actors/seller/decisions/withdrawalDecisions.ts"
import { decideWithdrawal } from "../../../actors/seller/operations/decideWithdrawal.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import type { operatorWithdrawalsGroup } from "../../../schema/api/operatorWithdrawals.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { isId, type Mode } from "../../../schema/ids.ts"
import type { WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { awaitingSecondOperator, makeSecondOperator } from "../../accounts/secondOperator.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { makeManualPayoutHandlers } from "./manualPayouts.ts"
import { makeShowToOperators, renderForOperator } from "./operatorWithdrawal.ts"
import { orFail, pageOf, pageSize } from "./page.ts"

interface WantedPage {
  readonly sellerId: string | undefined
  readonly mode: Mode
  /** Undefined: any, where a seller is given. */
  readonly status: WithdrawalStatus | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Names of acts in the operators' log. */
const actions = { approve: "withdrawal.approved", reject: "withdrawal.rejected" } as const

/** Routes of withdrawals, for operators. */
export const makeOperatorWithdrawalHandlers = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const actors = yield* SellerActors
  const operatorLog = yield* OperatorLog
  const cursors = yield* Cursors
  const isAgreed = yield* makeSecondOperator
  const { payeeOf, answer } = yield* makeShowToOperators
  const ofManualPayouts = yield* makeManualPayoutHandlers

  const refusalOf = Effect.fnUntraced(function* (stored: StoredWithdrawal) {
    const { seller, available } = yield* payeeOf(stored)
    return approvalRefusal(seller, stored, available, yield* Clock.currentTimeMillis)
  })

  /**
   * The act is logged before the change, and not at all if no change is possible
   * (`docs/contract/admin.md#audit-log`).
   */
  const decide = Effect.fnUntraced(function* (
    session: Session,
    id: string,
    act: "approve" | "reject",
    details: { readonly reason?: string },
  ) {
    const stored = isId("wd_", id) ? yield* store.load(id) : undefined
    if (stored === undefined) return yield* resourceNotFound("withdrawal", id)
    const refused = act === "approve" && stored.status === "awaiting" ? yield* refusalOf(stored) : undefined
    if (refused !== undefined) return yield* refused
    if (act === "approve" && stored.status === "awaiting") {
      const about = { resourceType: "withdrawal", resourceId: id, details, isSame: () => true }
      const call = { mode: stored.mode, operatorId: session.userId, ...about }
      const names = { askedAs: "withdrawal.approval_asked", doneAs: actions.approve }
      if (!(yield* isAgreed({ ...call, ...names }))) return awaitingSecondOperator
    }
    if (stored.status === "awaiting") {
      const { sellerId } = stored
      const entry = { operatorId: session.userId, action: actions[act], details, sellerId }
      yield* operatorLog.append({ ...entry, resourceType: "withdrawal", resourceId: id })
    }
    const decided = yield* actors.ask(decideWithdrawal, {
      withdrawalId: id,
      act,
      reason: details.reason,
    })
    return yield* answer(decided)
  })

  /** One seller's withdrawals, with or without a status, or those of all sellers with one status. */
  const find = Effect.fnUntraced(function* ({ sellerId, mode, status, beforeId, limit }: WantedPage) {
    if (sellerId === undefined)
      return yield* store.listForOperator({ mode, status: status ?? "awaiting", beforeId, limit })
    if (!isId("sel_", sellerId)) return []
    const window = { fromMillis: undefined, toMillis: undefined }
    const principal = sessionPrincipal(sellerId, mode, "operator")
    const found = yield* store.list(principal, { status, ...window, beforeId, limit })
    return "kind" in found ? [] : found
  })

  const handlers: GroupHandlers<typeof operatorWithdrawalsGroup> = {
    ...ofManualPayouts,
    listWithdrawalsAsOperator: Effect.fnUntraced(function* ({ query }) {
      const { mode = "live", seller_id: sellerId } = query
      const { status = sellerId === undefined ? "awaiting" : undefined } = query
      const scope = { list: "operatorWithdrawals", filters: { mode, status, sellerId } }
      const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
      const size = pageSize(query.limit)
      const found = yield* find({ sellerId, mode, status, beforeId, limit: size + 1 })
      const sellerIds = [...new Set(found.map(({ sellerId }) => sellerId))]
      const read = yield* Effect.forEach(sellerIds, (id) => payeeOf({ sellerId: id, mode }), {
        concurrency: "unbounded",
      })
      const bySeller = new Map(sellerIds.map((sellerId, i) => [sellerId, read[i]]))
      const nowMillis = yield* Clock.currentTimeMillis
      return pageOf(
        found,
        size,
        (stored) =>
          renderForOperator(
            stored,
            bySeller.get(stored.sellerId) ?? { seller: undefined, available: 0 },
            nowMillis,
          ),
        (last) => cursors.encode(scope, last.id),
      )
    }),
    approveWithdrawal: ({ session, params, payload }) => decide(session, params.id, "approve", payload),
    rejectWithdrawal: ({ session, params, payload }) => decide(session, params.id, "reject", payload),
  }
  return handlers
})
