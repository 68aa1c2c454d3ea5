import { Clock, Effect } from "effect"
import { Acquirers } from "../../../actors/ports/acquirer.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import {
  decideManualEnd,
  isPaidByHand,
  type ManualEnd,
  notPaidByHand,
} from "../../../actors/seller/decisions/manualPayouts.ts"
import { endManualPayout } from "../../../actors/seller/operations/endManualPayout.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import type { operatorWithdrawalsGroup } from "../../../schema/api/operatorWithdrawals.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { awaitingSecondOperator, makeSecondOperator } from "../../accounts/secondOperator.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeShowToOperators } from "./operatorWithdrawal.ts"
import { makeListToPay } from "./withdrawalsToPay.ts"

/** Names of acts in the operators' log. */
const actions = {
  settle: { askedAs: "withdrawal.settlement_asked", doneAs: "withdrawal.settled" },
  fail: { askedAs: "withdrawal.failure_asked", doneAs: "withdrawal.failed" },
} as const

const detailsOf = (end: ManualEnd) =>
  end.act === "settle" ? { end_to_end_id: end.endToEndId } : { reason: end.reason }

type ManualPayoutHandlers = Pick<
  GroupHandlers<typeof operatorWithdrawalsGroup>,
  "listWithdrawalsToPay" | "settleWithdrawal" | "failWithdrawal"
>

/** Routes of withdrawals that operators pay by hand (docs/contract/withdrawals.md#paid-by-hand). */
export const makeManualPayoutHandlers = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const acquirers = yield* Acquirers
  const actors = yield* SellerActors
  const operatorLog = yield* OperatorLog
  const isAgreed = yield* makeSecondOperator
  const listToPay = yield* makeListToPay
  const { answer } = yield* makeShowToOperators

  /** The act is logged before the change, and not at all where it was done already or is refused at once. */
  const endAs = Effect.fnUntraced(function* (session: Session, id: string, end: ManualEnd) {
    const stored = isId("wd_", id) ? yield* store.load(id) : undefined
    if (stored === undefined) return yield* resourceNotFound("withdrawal", id)
    if (!isPaidByHand(stored, acquirers)) return yield* notPaidByHand(stored)
    const time = { nowMillis: yield* Clock.currentTimeMillis, offsetMillis: 0 }
    const decided = decideManualEnd(stored, end, time)
    if (decided instanceof ApiError) return yield* decided
    if (decided !== "same") {
      const { askedAs, doneAs } = actions[end.act]
      const details = detailsOf(end)
      const act = { operatorId: session.userId, resourceType: "withdrawal", resourceId: id, details }
      const isSame = (other: Readonly<Record<string, unknown>>) =>
        end.act === "fail" || other.end_to_end_id === end.endToEndId
      if (!(yield* isAgreed({ ...act, mode: stored.mode, askedAs, doneAs, isSame }))) {
        return awaitingSecondOperator
      }
      yield* operatorLog.append({ ...act, action: doneAs, sellerId: stored.sellerId })
    }
    return yield* answer(yield* actors.ask(endManualPayout, { withdrawalId: id, end }))
  })

  const handlers: ManualPayoutHandlers = {
    listWithdrawalsToPay: (request) => listToPay(request.query, request.header("accept")),
    settleWithdrawal: ({ session, params, payload }) =>
      endAs(session, params.id, { act: "settle", endToEndId: payload.end_to_end_id }),
    failWithdrawal: ({ session, params, payload }) =>
      endAs(session, params.id, { act: "fail", reason: payload.reason }),
  }
  return handlers
})
