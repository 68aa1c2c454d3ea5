import { Clock, Effect } from "effect"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { SellerClock } from "../../../actors/ports/sellerClock.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import type { SimulatedStatus } from "../../../actors/seller/decisions/simulatedOutcome.ts"
import type { WithdrawalAct } from "../../../actors/seller/decisions/withdrawalActs.ts"
import { advanceClock } from "../../../actors/seller/operations/advanceClock.ts"
import { decideWithdrawal } from "../../../actors/seller/operations/decideWithdrawal.ts"
import { simulateOutcome } from "../../../actors/seller/operations/simulateOutcome.ts"
import { simulateRefund } from "../../../actors/seller/operations/simulateRefund.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { sessionTestControlsGroup, testControlsGroup } from "../../../schema/api/testControls.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Authenticator } from "../contract/authenticator.ts"
import type { GroupHandlers } from "../server/request.ts"
import { keyRevoked } from "./page.ts"
import { forSession } from "./sessionReads.ts"

type TestControlHandlers = GroupHandlers<typeof testControlsGroup>

/** The request of a route that acts on one resource. */
interface AboutOne {
  readonly params: { readonly id: string }
  readonly principal: Principal
}

/** Routes of the test controls; live mode was rejected before. */
export const makeTestControlHandlers = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const actors = yield* SellerActors
  const clock = yield* SellerClock
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const refunds = yield* RefundStore
  const charges = yield* ChargeRenderer

  const simulate = (to: SimulatedStatus) =>
    Effect.fnUntraced(function* ({ params: { id }, principal }: AboutOne) {
      const found = isId("txn_", id) ? yield* transactions.get(principal, id) : undefined
      if (found === undefined) return yield* resourceNotFound("transaction", id)
      if ("kind" in found) return yield* keyRevoked()
      const { document } = yield* actors.ask(simulateOutcome, { transactionId: id, to })
      return { status: 200, body: charges.render(document) }
    })

  const decide = (act: WithdrawalAct) =>
    Effect.fnUntraced(function* ({ params: { id }, principal }: AboutOne) {
      const found = isId("wd_", id) ? yield* withdrawals.get(principal, id) : undefined
      if (found === undefined) return yield* resourceNotFound("withdrawal", id)
      if ("kind" in found) return yield* keyRevoked()
      const { document } = yield* actors.ask(decideWithdrawal, {
        withdrawalId: id,
        act,
        reason: undefined,
      })
      return { status: 200, body: document }
    })

  const endRefund = (act: "succeed" | "fail") =>
    Effect.fnUntraced(function* ({ params: { id }, principal }: AboutOne) {
      const found = isId("rfd_", id) ? yield* refunds.get(principal, id) : undefined
      if (found === undefined) return yield* resourceNotFound("refund", id)
      if ("kind" in found) return yield* keyRevoked()
      const { document } = yield* actors.ask(simulateRefund, { refundId: id, act })
      return { status: 200, body: document }
    })

  const handlers: TestControlHandlers = {
    payTestTransaction: simulate("paid"),
    expireTestTransaction: simulate("expired"),
    failTestTransaction: simulate("failed"),
    refundTestTransaction: simulate("refunded"),
    chargebackTestTransaction: simulate("chargeback"),
    approveTestWithdrawal: decide("approve"),
    rejectTestWithdrawal: decide("reject"),
    succeedTestWithdrawal: decide("succeed"),
    failTestWithdrawal: decide("fail"),
    succeedTestRefund: endRefund("succeed"),
    failTestRefund: endRefund("fail"),

    advanceTestClock: Effect.fnUntraced(function* ({ payload: { seconds }, principal }) {
      yield* authenticator.confirm(principal)
      const { sellerId } = principal
      if ((yield* clock.offsetMillis(sellerId)) + seconds * 1000 > limits.clockOffsetMillisMax) {
        return yield* new ApiError({
          code: "invalid_state",
          message: "This clock cannot be advanced any further. Use another seller to continue.",
        })
      }
      const shownMillis = yield* actors.ask(advanceClock, { sellerId, seconds })
      const now = new Date(shownMillis).toISOString()
      return { status: 200, body: JSON.stringify({ advanced_seconds: seconds, now }) }
    }),

    getTestClock: Effect.fnUntraced(function* ({ principal }) {
      yield* authenticator.confirm(principal)
      const offsetMillis = yield* clock.offsetMillis(principal.sellerId)
      const now = new Date((yield* Clock.currentTimeMillis) + offsetMillis).toISOString()
      return { status: 200, body: JSON.stringify({ advanced_seconds: offsetMillis / 1000, now }) }
    }),
  }
  return handlers
})

/** The same for sessions: only the principal differs. */
export const sessionTestControlHandlers = (
  handlers: TestControlHandlers,
): GroupHandlers<typeof sessionTestControlsGroup> => ({
  payMyTestTransaction: forSession(handlers.payTestTransaction),
  expireMyTestTransaction: forSession(handlers.expireTestTransaction),
  failMyTestTransaction: forSession(handlers.failTestTransaction),
  refundMyTestTransaction: forSession(handlers.refundTestTransaction),
  chargebackMyTestTransaction: forSession(handlers.chargebackTestTransaction),
  approveMyTestWithdrawal: forSession(handlers.approveTestWithdrawal),
  rejectMyTestWithdrawal: forSession(handlers.rejectTestWithdrawal),
  succeedMyTestWithdrawal: forSession(handlers.succeedTestWithdrawal),
  failMyTestWithdrawal: forSession(handlers.failTestWithdrawal),
  succeedMyTestRefund: forSession(handlers.succeedTestRefund),
  failMyTestRefund: forSession(handlers.failTestRefund),
  advanceMyTestClock: forSession(handlers.advanceTestClock),
  getMyTestClock: forSession(handlers.getTestClock),
})
