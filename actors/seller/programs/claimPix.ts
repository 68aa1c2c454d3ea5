import { Effect } from "effect"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PixClaimStore, type ReceivedPixId } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { isAllowed, readCharge } from "../decisions/transactionTransitions.ts"

/**
 * Makes the program that claims a received Pix for a charge or an exception, before the commit that uses it, and answers who has it:
 * the claimant, or whoever was first (docs/decisions/0101-pix-are-claimed-before-they-count.md). A claim that its holder can never use
 * any more is taken over: one of a charge that ended otherwise, or of an exception that was resolved without a credit.
 */
export const makeClaimPix = Effect.gen(function* () {
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const exceptions = yield* ExceptionStore

  const isUnusable = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    if (holder.startsWith("txn_")) {
      const charge = yield* transactions.load(holder)
      if (charge === undefined || isAllowed(charge.status, "paid")) return false
      return readCharge(charge).end_to_end_id !== endToEndId
    }
    const exception = yield* exceptions.load(holder)
    return exception?.state === "resolved" && readException(exception).act !== "credit"
  })

  return (pix: ReceivedPixId, claimant: string): Effect.Effect<string, StoreUnavailable> =>
    Effect.gen(function* () {
      const holder = yield* claims.claim(pix, claimant)
      if (holder === claimant || !(yield* isUnusable(holder, pix.endToEndId))) return holder
      return yield* claims.claim(pix, claimant, holder)
    })
})
