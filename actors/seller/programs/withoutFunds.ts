import { Effect, Metric } from "effect"
import type { PayoutReport, RefundReport } from "../../ports/acquirer.ts"

/** Counts the times that the acquirer did not pay a payout because our account there lacked the money. */
export const payoutsWithoutFunds = Metric.counter("corrente_payouts_without_funds_total", {
  description: "Payouts that the acquirer did not pay because our account there lacked the money",
  incremental: true,
})

/** Counts the times that the acquirer did not make a refund because our account there lacked the money. */
export const refundsWithoutFunds = Metric.counter("corrente_refunds_without_funds_total", {
  description: "Refunds that the acquirer did not make because our account there lacked the money",
  incremental: true,
})

/** What becomes of a payout or refund without funds (docs/contract/withdrawals.md#without-funds, docs/contract/refunds.md#without-funds). */
export const withoutFundsNext = {
  /** Its sending was refused, which created nothing. */
  again: "It stays processing, and is sent again under the same id",
  /** It was accepted before it failed. */
  operator:
    "The acquirer had accepted it, so its id is over there. It stays processing, and is not sent again: an operator ends it",
} as const

/** Whether the acquirer accepted a payout and then did not pay it for lack of our money. */
export const isOverWithoutFunds = <Report extends { readonly status: string }>(
  report: Report,
): report is Report & Extract<PayoutReport, { readonly status: "notPaid" }> =>
  report.status === "notPaid" && "isWithoutFunds" in report && report.isWithoutFunds === true

/** Whether the acquirer accepted a refund and then did not make it for lack of our money. */
export const isRefundWithoutFunds = <Heard extends { readonly status: string }>(
  heard: Heard,
): heard is Heard & RefundReport & { readonly status: "failed" } =>
  heard.status === "failed" && "isWithoutFunds" in heard && heard.isWithoutFunds === true

const alarm = (counter: typeof payoutsWithoutFunds, what: string, reason: string, next: string) =>
  Effect.andThen(
    Metric.update(counter, 1),
    Effect.logError(`${what}: our account at the acquirer lacks the money (${reason}). ${next}`),
  )

/** Counts a payout without funds and tells operators, who must top our account up. */
export const alarmWithoutFunds = (withdrawalId: string, reason: string, next: string): Effect.Effect<void> =>
  alarm(payoutsWithoutFunds, `payout of ${withdrawalId}`, reason, next)

/** Counts a refund without funds and tells operators. `what` names the refund. */
export const alarmRefundWithoutFunds = (what: string, reason: string, next: string): Effect.Effect<void> =>
  alarm(refundsWithoutFunds, what, reason, next)
