import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Acquirers, type PayoutReport } from "../../ports/acquirer.ts"
import { ExceptionRules } from "../../ports/exceptionRules.ts"
import { ExceptionStore, type NewException } from "../../ports/exceptionStore.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { acquirerSlugOf, otherAccountReason } from "../decisions/acquirerAccount.ts"
import type { QueryStatus, ReconcileAnswer } from "../decisions/noticeAnswer.ts"
import { decidePayoutDifference, decideStuck } from "../decisions/payoutDifferences.ts"
import { type SellerTime, timerAt } from "../decisions/sellerTime.ts"
import {
  decideHandedOver,
  decidePayoutReport,
  decideTransition,
  withdrawalTimers,
} from "../decisions/withdrawalTransitions.ts"
import { makeAccountChanged } from "./accountChanged.ts"
import type { PayoutTold } from "./acquirerCalls.ts"
import { type AppliedWithdrawal, makeApplyWithdrawal } from "./applyWithdrawal.ts"

/** The answer as operators see it. */
export const queryStatusOf = ({ status }: PayoutTold): QueryStatus => {
  if (status === "notPaid") return "not_paid"
  return status === "otherAmount" ? "other_amount" : status
}

/** What the acquirer says of a payout that we have otherwise (docs/contract/exceptions.md#kinds). */
export interface PayoutDifferences {
  /** Ends a withdrawal that is processing as a report says, and books what came back of it since. */
  readonly settle: (
    stored: StoredWithdrawal,
    report: PayoutReport,
    time: SellerTime,
  ) => Effect.Effect<AppliedWithdrawal, StoreUnavailable>
  /**
   * Books or records what a report says besides ending a withdrawal. `agrees`: there was nothing to book or record; `contended`: others
   * kept changing it.
   */
  readonly apply: (
    stored: StoredWithdrawal,
    report: PayoutReport,
    time: SellerTime,
  ) => Effect.Effect<"applied" | "agrees" | "contended", StoreUnavailable>
  /** Records what a report that ends nothing says of a withdrawal that is processing, and one that is processing for too long. */
  readonly whileProcessing: (
    stored: StoredWithdrawal,
    report: PayoutTold,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Compares a withdrawal that is not processing with what the acquirer says. */
  readonly reconcile: (
    stored: StoredWithdrawal,
    query: Effect.Effect<PayoutTold>,
    time: SellerTime,
  ) => Effect.Effect<ReconcileAnswer, StoreUnavailable>
}

/** Makes the programs that compare withdrawals with what the acquirer says of their payouts. */
export const makePayoutDifferences = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const exceptions = yield* ExceptionStore
  const { payoutStuckMillis } = yield* ExceptionRules
  const applyDecision = yield* makeApplyWithdrawal
  const accountChanged = yield* makeAccountChanged

  const open = Effect.fnUntraced(function* (exception: NewException) {
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "opened") yield* Effect.logError(`exception ${id}: ${exception.fact}`)
  })

  /** Takes a withdrawal that was never sent, as far as we know, to the end that the acquirer tells of. */
  const settlePaidEarlier = Effect.fnUntraced(function* (
    stored: StoredWithdrawal,
    report: PayoutReport,
    time: SellerTime,
  ) {
    yield* Effect.logError(
      `${stored.id} is ${stored.status} here, but the acquirer has paid it: was a backup restored? It is settled`,
    )
    // Where this process dies in between, the payout worker goes on: it sends under the same id, which the acquirer knows.
    const payMillis = time.nowMillis + limits.payoutPollMillisMax
    const pay = timerAt(time, withdrawalTimers.pay, stored.id, payMillis)
    const approved = yield* applyDecision(stored, (found) =>
      decideTransition(found, "approved", { timers: [pay] }, time),
    )
    const processing = yield* applyDecision(approved?.stored ?? stored, (found) =>
      decideHandedOver(found, limits.payoutPollMillisMin, time),
    )
    return yield* applyDecision(processing?.stored ?? stored, (found) =>
      decidePayoutReport(found, report, time),
    )
  })

  const apply: PayoutDifferences["apply"] = Effect.fnUntraced(function* (known, report, time) {
    const slugOf = (stored: StoredWithdrawal) => acquirerSlugOf(stored, acquirers)
    let stored = known
    let isSettled = false
    if (decidePayoutDifference(stored, report, slugOf(stored), time).kind === "paidEarlier") {
      const now = yield* settlePaidEarlier(stored, report, time)
      // Where others settled it, they may have booked what this report is too old to know.
      if (now?.isApplied !== true || now.stored.status !== "successful") return "contended"
      stored = now.stored
      isSettled = true
    }
    const difference = decidePayoutDifference(stored, report, slugOf(stored), time)
    if (difference.kind === "exception") yield* open(difference.exception)
    if (difference.kind === "none") return isSettled ? "applied" : "agrees"
    if (difference.kind !== "returned") return "applied"
    const now = yield* applyDecision(stored, (found) => {
      const again = decidePayoutDifference(found, report, slugOf(found), time)
      return again.kind === "returned" ? again.transition : undefined
    })
    return now?.isContended === true ? "contended" : "applied"
  })

  const settle: PayoutDifferences["settle"] = Effect.fnUntraced(function* (stored, report, time) {
    const now = yield* applyDecision(stored, (found) => decidePayoutReport(found, report, time))
    const isBack = report.status === "paid" && (report.returnedAmount ?? 0) > 0
    // Where this process dies here, or others settled it, the sweep of the acquirer's books finds what came back.
    if (now?.isApplied === true && isBack) yield* apply(now.stored, report, time)
    return now
  })

  const whileProcessing: PayoutDifferences["whileProcessing"] = Effect.fnUntraced(
    function* (stored, report, time) {
      const slug = acquirerSlugOf(stored, acquirers)
      if (report.status === "otherAmount") yield* apply(stored, report, time)
      const stuck = decideStuck(stored, payoutStuckMillis, slug, time)
      if (stuck !== undefined) yield* open(stuck)
    },
  )

  const reconcile: PayoutDifferences["reconcile"] = Effect.fnUntraced(function* (stored, query, time) {
    const isOver = stored.status !== "awaiting" && stored.status !== "approved"
    // An acquirer that keeps no books, as the simulator, has nothing to compare with.
    if (acquirers[stored.mode].books === undefined) {
      return isOver
        ? ({ kind: "settled", note: undefined } as const)
        : ({ kind: "pending", queryStatus: "processing" } as const)
    }
    const otherAccount = otherAccountReason(stored, acquirers)
    if (otherAccount !== undefined) {
      yield* accountChanged(stored.id)
      return { kind: "unavailable", reason: otherAccount } as const
    }
    const report = yield* query
    const queryStatus = queryStatusOf(report)
    if (report.status === "silent") return { kind: "pending", reason: report.reason, queryStatus } as const
    // What it does not know, or has not ended, confirms nothing, whatever ours is.
    if (report.status === "processing" || report.status === "unknown") {
      return { kind: "pending", queryStatus } as const
    }
    const outcome = yield* apply(stored, report, time)
    if (outcome === "contended") {
      return { kind: "unavailable", reason: "others keep changing the withdrawal" } as const
    }
    const agreed = outcome === "agrees" ? { queryStatus } : {}
    return { kind: "settled", note: undefined, ...agreed } as const
  })

  return { settle, apply, whileProcessing, reconcile } satisfies PayoutDifferences
})
