import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { exceptionRefused } from "../decisions/exceptionActs.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"

/**
 * Makes the program that refuses to refund an exception whose Pix has paid a charge, or was credited by another exception: 409
 * `invalid_state` (docs/contract/exceptions.md#one-pix-one-use). Sent back, its money would be gone and still count for somebody.
 */
export const makeRefuseRefundOfCounted = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const exceptions = yield* ExceptionStore

  const counts = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    if (holder.startsWith("txn_")) {
      const charge = yield* transactions.load(holder)
      return charge !== undefined && readCharge(charge).end_to_end_id === endToEndId
    }
    const exception = yield* exceptions.load(holder)
    return exception?.state === "resolved" && readException(exception).act === "credit"
  })

  return Effect.fnUntraced(function* (stored: StoredException) {
    const { end_to_end_id: endToEndId } = readException(stored).details
    if (stored.mode === "test" || typeof endToEndId !== "string") return
    const [holder] = yield* claims.findAll(stored.account ?? acquirers.live.account, [endToEndId])
    if (holder === undefined || holder === stored.id || !(yield* counts(holder, endToEndId))) return
    return yield* exceptionRefused(
      stored,
      `cannot be refunded: its Pix ${endToEndId} counts for '${holder}'`,
      { reason: "end_to_end_id_claimed", claimed_by: holder },
    )
  })
})
