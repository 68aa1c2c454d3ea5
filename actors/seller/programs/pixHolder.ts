import { Effect } from "effect"
import type { ExceptionAct } from "../../../schema/resources/exception.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { readPending } from "../decisions/exceptionActs.ts"
import { factOf, readException, unknownPixPlace } from "../decisions/exceptionDocument.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"

/** Acts after which an exception's Pix is used up. */
const usingActs: ReadonlyArray<ExceptionAct | null> = ["credit", "refund"]

/** Whether an exception's money goes back to its payer, or has. */
const isRefund = (stored: StoredException): boolean => {
  const pending = readPending(stored)
  return (pending?.stage === "going" && pending.act === "refund") || readException(stored).act === "refund"
}

/**
 * Makes the program that finds what an exception's Pix counts for besides: a charge that it paid, or another exception that is open, was
 * credited or sends it back (docs/contract/exceptions.md#one-pix-one-use). Undefined where it counts for nothing else.
 */
export const makePixHolder = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const transactions = yield* TransactionStore
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount

  const counts = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    if (holder.startsWith("txn_")) {
      const charge = yield* transactions.load(holder)
      return charge !== undefined && readCharge(charge).end_to_end_id === endToEndId
    }
    const other = yield* exceptions.load(holder)
    return other !== undefined && (other.state === "open" || usingActs.includes(readException(other).act))
  })

  /**
   * Finds the exception that sends the Pix back, or has. What was unknown or unconfirmed holds no claim: the Pix may pay its charge after
   * all, and what went back of it is in that report.
   */
  const findRefund = Effect.fnUntraced(function* (stored: StoredException, endToEndId: string) {
    const { resource_id: chargeId } = readException(stored)
    const unconfirmed = factOf("payment_unconfirmed", endToEndId)
    const places = [
      unknownPixPlace(endToEndId, partitions),
      ...(chargeId === null ? [] : [{ id: chargeId, fact: unconfirmed }]),
    ]
    for (const { id, fact } of places) {
      if (fact === stored.fact) continue
      const other = yield* exceptions.findFact(id, fact)
      if (other !== undefined && isRefund(other)) return other.id
    }
    return undefined
  })

  return Effect.fnUntraced(function* (stored: StoredException) {
    const { end_to_end_id: endToEndId } = readException(stored).details
    if (stored.mode === "test" || typeof endToEndId !== "string") return undefined
    const [holder] = yield* claims.findAll(stored.account ?? acquirers.live.account, [endToEndId])
    const isOther = holder !== undefined && holder !== stored.id
    if (isOther && (yield* counts(holder, endToEndId))) return holder
    return yield* findRefund(stored, endToEndId)
  })
})
