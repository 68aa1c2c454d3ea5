import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"

/**
 * Makes the program that finds what an exception's Pix counts for besides: a charge that it paid, or another exception that is open or
 * was credited (docs/contract/exceptions.md#one-pix-one-use). Undefined where it counts for nothing else.
 */
export const makePixHolder = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const exceptions = yield* ExceptionStore

  const counts = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    if (holder.startsWith("txn_")) {
      const charge = yield* transactions.load(holder)
      return charge !== undefined && readCharge(charge).end_to_end_id === endToEndId
    }
    const other = yield* exceptions.load(holder)
    return other !== undefined && (other.state === "open" || readException(other).act === "credit")
  })

  return Effect.fnUntraced(function* (stored: StoredException) {
    const { end_to_end_id: endToEndId } = readException(stored).details
    if (stored.mode === "test" || typeof endToEndId !== "string") return undefined
    const [holder] = yield* claims.findAll(stored.account ?? acquirers.live.account, [endToEndId])
    if (holder === undefined || holder === stored.id) return undefined
    return (yield* counts(holder, endToEndId)) ? holder : undefined
  })
})
