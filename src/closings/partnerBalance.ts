import { Effect } from "effect"
import type { Acquirer } from "../../actors/ports/acquirer.ts"
import type { PartnerDay } from "../../actors/ports/closingStore.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { readException } from "../../actors/seller/decisions/exceptionDocument.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import type { Exception } from "../../schema/resources/exception.ts"

/** Which way the acquirer moved the money of an exception that our ledgers do not have. */
const signOf: Readonly<Record<Exception["kind"], 1 | -1 | 0>> = {
  payment_unknown: 1,
  double_payment: 1,
  amount_mismatch: 1,
  payment_unconfirmed: 1,
  payment_returned: -1,
  payout_unknown: -1,
  payout_contradicted: -1,
  payout_returned: 1,
  // Nobody knows of these whether the money has moved.
  payout_stuck: 0,
  refund_stuck: 0,
  partner_changed: 0,
}

/** Centavos that an open exception says are at the acquirer, and in no ledger. A Pix that counts elsewhere is there once only. */
export const exceptedThere = ({ kind, amount, details }: Exception): number =>
  "claimed_by" in details ? 0 : signOf[kind] * amount

/** Makes the program that sums what open live exceptions of an account say is at the acquirer. */
const makeOpenExceptions = Effect.map(ExceptionStore, (exceptions) =>
  Effect.fnUntraced(function* (account: string): Effect.fn.Return<number, StoreUnavailable> {
    let sum = 0
    let beforeId: string | undefined
    for (;;) {
      const query = {
        state: "open",
        kind: undefined,
        beforeId,
        limit: closingLimits.exceptionsPerPage,
      } as const
      const page = yield* exceptions.list(query)
      for (const stored of page) {
        const isHere = stored.mode === "live" && (stored.account ?? account) === account
        if (isHere) sum += exceptedThere(readException(stored))
      }
      if (page.length < closingLimits.exceptionsPerPage) return sum
      beforeId = page.at(-1)?.id
    }
  }),
)

/**
 * Makes the program that compares the acquirer's balance, as it is now, with what our ledgers and open exceptions say is there
 * (docs/contract/closings.md#partner). `ledgerThere`: centavos that the ledgers have outside now. Null where the acquirer has no such
 * query, or does not answer it: no closing waits for it.
 */
export const makeComparePartnerBalance = Effect.gen(function* () {
  const openExceptions = yield* makeOpenExceptions

  return Effect.fnUntraced(function* <E>(
    { account, queryBalance }: Acquirer,
    ledgerThere: Effect.Effect<number, E>,
  ): Effect.fn.Return<Pick<PartnerDay, "balance" | "balanceDifference">, E | StoreUnavailable> {
    const unknown = { balance: null, balanceDifference: null }
    if (queryBalance === undefined) return unknown
    const asked = yield* Effect.result(queryBalance)
    if (asked._tag === "Failure") {
      yield* Effect.logWarning(`a closing has no balance of the acquirer: ${asked.failure.reason}`)
      return unknown
    }
    const balance = asked.success
    const there = (yield* ledgerThere) + (yield* openExceptions(account))
    return { balance, balanceDifference: balance - there }
  })
})
