import { Effect, Metric } from "effect"
import type { PayoutReport } from "../../ports/acquirer.ts"

/** Counts the times that the acquirer did not pay a payout because our account there lacked the money. */
export const payoutsWithoutFunds = Metric.counter("corrente_payouts_without_funds_total", {
  description: "Payouts that the acquirer did not pay because our account there lacked the money",
  incremental: true,
})

/** What becomes of a payout without funds (docs/contract/withdrawals.md#without-funds). */
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

/** Counts a payout without funds and tells operators, who must top our account up. */
export const alarmWithoutFunds = (withdrawalId: string, reason: string, next: string): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(payoutsWithoutFunds, 1),
    Effect.logError(
      `payout of ${withdrawalId}: our account at the acquirer lacks the money (${reason}). ${next}`,
    ),
  )
