import { Clock, Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import { type StoredTransaction, TransactionStore } from "../../ports/transactionStore.ts"
import { WithdrawalStore } from "../../ports/withdrawalStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { acquirerSlugOf } from "../decisions/acquirerAccount.ts"
import { decideChargeAccountChanged } from "../decisions/chargeExceptions.ts"
import { exceptionOfResource, factOf } from "../decisions/exceptionDocument.ts"
import { readRefund } from "../decisions/refundTransitions.ts"
import { readWithdrawal } from "../decisions/withdrawalTransitions.ts"

/**
 * Makes the program that records, once, that a live charge, withdrawal or refund belongs to another acquirer account than the
 * configured one (docs/partner.md#rules-of-money). It waits for that account, or for an operator.
 */
export const makeAccountChanged = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const refunds = yield* RefundStore
  const acquirers = yield* Acquirers

  /** A charge's seller is told, so its exception comes with the charge's commit. */
  const ofCharge = (id: string) =>
    decideAndCommit({
      read: Effect.all([transactions.load(id), exceptions.findFact(id, factOf("partner_changed", id))]),
      attempt: Effect.fnUntraced(function* ([stored, known]) {
        if (stored === undefined || known !== undefined) return undefined
        const nowMillis = yield* Clock.currentTimeMillis
        const time = { nowMillis, offsetMillis: 0 }
        const slug = acquirerSlugOf(stored, acquirers)
        const { kind } = yield* transactions.transition(
          decideChargeAccountChanged(stored, slug, detailsOf(stored), time),
        )
        return kind === "stale" ? stale : undefined
      }),
      giveUp: () =>
        Effect.logWarning(`${id}: others keep changing it; partner_changed is recorded next time`),
    })

  const detailsOf = ({ account, mode }: Pick<StoredTransaction, "account" | "mode">) => ({
    account: account ?? null,
    configured_account: acquirers[mode].account,
  })

  const amountOf = Effect.fnUntraced(function* (id: string) {
    if (id.startsWith("wd_")) {
      const stored = yield* withdrawals.load(id)
      return stored && { type: "withdrawal" as const, stored, amount: readWithdrawal(stored).amount }
    }
    const stored = yield* refunds.load(id)
    return stored && { type: "refund" as const, stored, amount: readRefund(stored).amount }
  })

  return (resourceId: string): Effect.Effect<void, StoreUnavailable> =>
    Effect.gen(function* () {
      if (resourceId.startsWith("txn_")) return yield* Effect.asVoid(ofCharge(resourceId))
      if ((yield* exceptions.findFact(resourceId, factOf("partner_changed", resourceId))) !== undefined)
        return
      const found = yield* amountOf(resourceId)
      if (found === undefined) return
      const { type, stored, amount } = found
      const acquirer = acquirerSlugOf(stored, acquirers)
      const details = { status: stored.status, ...detailsOf(stored) }
      const exception = exceptionOfResource(
        { kind: "partner_changed", about: resourceId, acquirer, amount, details },
        { type, ...stored },
        yield* Clock.currentTimeMillis,
      )
      yield* exceptions.open(exception)
    })
})
