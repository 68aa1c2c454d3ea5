import { Effect } from "effect"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { type ExceptionChange, ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import { TransactionStore, type TransitionOutcome } from "../../ports/transactionStore.ts"
import {
  type StoredWithdrawal,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../ports/withdrawalStore.ts"
import { stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { otherAccountReason } from "../decisions/acquirerAccount.ts"
import { creditOf, decideChargeEnded, decideChargeResolved } from "../decisions/chargeExceptions.ts"
import { exceptionRefused } from "../decisions/exceptionActs.ts"
import { decideResolved, type Resolution, readException } from "../decisions/exceptionDocument.ts"
import { balanceFull } from "../decisions/movements.ts"
import { decideDebit, decideReturn } from "../decisions/payoutActs.ts"
import { decideRefundFailed, decideRefundSucceeded } from "../decisions/refundTransitions.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { decideTransition } from "../decisions/withdrawalTransitions.ts"

/** What an act needs to know besides its exception. */
export interface ActContext {
  readonly resolution: Resolution
  /** Undefined for an exception that has no seller. */
  readonly settings: SellerSettings | undefined
  readonly time: SellerTime
  /** The acquirer's id of the money that left, where it was asked and said so. */
  readonly bankReference: string | undefined
}

type ActRefusal = ApiError<"invalid_state" | "resource_not_found">

/** An act that is done, or whose commit came too late: then it is decided again. */
type Done = ExceptionChange | typeof stale

const resourceRefused = (stored: StoredException, act: string, status: string): ApiError<"invalid_state"> =>
  exceptionRefused(
    stored,
    `cannot be resolved by '${act}': its ${readException(stored).resource_type} is ${status}`,
    {
      reason: "resource_state",
      status,
    },
  )

/** The change where its commit was applied. */
export const committedChange = (
  stored: StoredException,
  change: ExceptionChange,
  { kind }: TransitionOutcome,
): Effect.Effect<Done, ActRefusal> => {
  switch (kind) {
    case "applied":
      return Effect.succeed(change)
    case "stale":
      return Effect.succeed(stale)
    case "missing":
      return Effect.fail(resourceNotFound("exception", stored.id))
    case "overflow":
      return Effect.fail(
        exceptionRefused(stored, `cannot be resolved: ${balanceFull}`, { reason: "balance_limit" }),
      )
  }
}

type Act = (
  stored: StoredException,
  context: ActContext,
) => Effect.Effect<Done, ActRefusal | StoreUnavailable>

/** Makes the act that changes nothing but its exception. */
const makeResolveAlone = Effect.map(
  ExceptionStore,
  (exceptions): Act =>
    Effect.fnUntraced(function* (stored, { resolution, time }) {
      const change = decideResolved(stored, resolution, time)
      const outcome = yield* exceptions.commit({ change, timers: [], timersDone: [] })
      return yield* committedChange(stored, change, outcome)
    }),
)

/** Makes the acts on exceptions of withdrawals. */
const makeWithdrawalActs = Effect.gen(function* () {
  const withdrawals = yield* WithdrawalStore
  const resolveAlone = yield* makeResolveAlone

  const commit = Effect.fnUntraced(function* (
    stored: StoredException,
    { resolution, time }: ActContext,
    decide: (withdrawal: StoredWithdrawal) => WithdrawalTransition | ActRefusal | undefined,
  ) {
    const withdrawal = yield* withdrawals.load(readException(stored).resource_id ?? "")
    if (withdrawal === undefined) return yield* resourceNotFound("exception", stored.id)
    const transition = decide(withdrawal)
    if (transition instanceof ApiError) return yield* transition
    if (transition === undefined) return yield* resourceRefused(stored, resolution.act, withdrawal.status)
    const change = decideResolved(stored, resolution, time)
    const outcome = yield* withdrawals.transition({ ...transition, exception: { kind: "change", change } })
    return yield* committedChange(stored, change, outcome)
  })

  const debit: Act = (stored, context) =>
    commit(stored, context, (withdrawal) => decideDebit(stored, withdrawal, context.time))

  const giveBack: Act = (stored, context) =>
    commit(stored, context, (withdrawal) => decideReturn(stored, withdrawal, context.time))

  const end: Act = Effect.fnUntraced(function* (stored, context) {
    const { resolution, time, bankReference } = context
    const { resource_id: id, details } = readException(stored)
    const endToEndId = bankReference ?? details.end_to_end_id
    if (stored.kind === "payout_stuck") {
      const status = (yield* withdrawals.load(id ?? ""))?.status
      // Another exception ended it, or it ended while this one was recorded: nothing else can resolve this one any more.
      const isSo = status === (resolution.act === "settle" ? "successful" : "failed")
      if (isSo) return yield* resolveAlone(stored, context)
    }
    return yield* commit(stored, context, (withdrawal) =>
      resolution.act === "settle"
        ? decideTransition(
            withdrawal,
            "successful",
            { isOperators: true, ...(typeof endToEndId === "string" ? { endToEndId } : {}) },
            time,
          )
        : decideTransition(
            withdrawal,
            "failed",
            { isOperators: true, failureReason: resolution.reason },
            time,
          ),
    )
  })
  return { debit, giveBack, end }
})

/** Makes the acts on exceptions of charges. */
const makeChargeActs = Effect.gen(function* () {
  const transactions = yield* TransactionStore

  const loaded = (stored: StoredException) =>
    Effect.flatMap(transactions.load(readException(stored).resource_id ?? ""), (charge) =>
      charge === undefined ? Effect.fail(resourceNotFound("exception", stored.id)) : Effect.succeed(charge),
    )

  const resolve: Act = Effect.fnUntraced(function* (stored, { resolution, time }) {
    const charge = yield* loaded(stored)
    const change = decideResolved(stored, resolution, time)
    const movement = resolution.act === "credit" ? creditOf(stored) : undefined
    const outcome = yield* transactions.transition(decideChargeResolved(charge, change, movement))
    return yield* committedChange(stored, change, outcome)
  })

  const end: Act = Effect.fnUntraced(function* (stored, { resolution, settings, time }) {
    const charge = yield* loaded(stored)
    const change = decideResolved(stored, resolution, time)
    const act = resolution.act === "settle" ? "settle" : "fail"
    const commit = settings && decideChargeEnded(charge, act, change, settings, time)
    if (commit === undefined) return yield* resourceRefused(stored, act, charge.status)
    return yield* committedChange(stored, change, yield* transactions.transition(commit))
  })
  return { resolve, end }
})

/** Makes the act that ends a refund. */
const makeEndRefund = Effect.gen(function* () {
  const refunds = yield* RefundStore
  const transactions = yield* TransactionStore
  const resolveAlone = yield* makeResolveAlone

  const end: Act = Effect.fnUntraced(function* (stored, context) {
    const { resolution, time, bankReference } = context
    const refund = yield* refunds.load(readException(stored).resource_id ?? "")
    const transaction = refund && (yield* transactions.load(refund.transactionId))
    if (refund === undefined || transaction === undefined) {
      return yield* resourceNotFound("exception", stored.id)
    }
    // Another exception ended it, or it ended while this one was recorded: nothing else can resolve this one any more.
    const isSo = refund.status === (resolution.act === "settle" ? "succeeded" : "failed")
    if (stored.kind === "refund_stuck" && isSo) return yield* resolveAlone(stored, context)
    const transition =
      resolution.act === "settle"
        ? decideRefundSucceeded(refund, transaction, bankReference, time, true)
        : decideRefundFailed(refund, transaction, { code: undefined, reason: resolution.reason }, time, true)
    if (transition === undefined) return yield* resourceRefused(stored, resolution.act, refund.status)
    const change = decideResolved(stored, resolution, time)
    const outcome = yield* refunds.transition({ ...transition, exception: { kind: "change", change } })
    return yield* committedChange(stored, change, outcome)
  })
  return end
})

/**
 * Makes the acts that one commit does: of an exception, of what it is about, and of its money. What takes longer, a refund and a
 * credit in another partition, is in exceptionProgress.ts.
 */
export const makeExceptionActs = Effect.gen(function* () {
  const resolveAlone = yield* makeResolveAlone
  const ofCharge = yield* makeChargeActs
  const ofWithdrawal = yield* makeWithdrawalActs
  const endRefund = yield* makeEndRefund

  const acquirers = yield* Acquirers

  /** 409 where the account is configured again: what the exception is about goes on by itself, and may be with the acquirer. */
  const accountIsBack = (stored: StoredException): ActRefusal | undefined => {
    const { id, kind, mode, account } = stored
    const belongs = account === undefined ? { id, mode } : { id, mode, account }
    return kind === "partner_changed" && otherAccountReason(belongs, acquirers) === undefined
      ? exceptionRefused(stored, "is over: its acquirer account is configured again. Dismiss it", {
          reason: "account_configured",
        })
      : undefined
  }

  const endOf = { transaction: ofCharge.end, withdrawal: ofWithdrawal.end, refund: endRefund }

  const act: Act = (stored, context) => {
    const { resource_type: type } = readException(stored)
    switch (context.resolution.act) {
      case "debit":
        return ofWithdrawal.debit(stored, context)
      case "return":
        return ofWithdrawal.giveBack(stored, context)
      case "settle":
      case "fail": {
        const refused = accountIsBack(stored)
        if (refused !== undefined) return Effect.fail(refused)
        return type === null ? resolveAlone(stored, context) : endOf[type](stored, context)
      }
      default:
        return type === "transaction" ? ofCharge.resolve(stored, context) : resolveAlone(stored, context)
    }
  }
  return act
})
