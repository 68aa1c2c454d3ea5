import { Effect } from "effect"
import { partitionOfId } from "../../../schema/ids.ts"
import type { ChargeReport } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import { factOf, readException, unknownPixPlace } from "../decisions/exceptionDocument.ts"
import { isRecorded } from "../decisions/noticeAnswer.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

/**
 * Makes the program that resolves the `payment_returned` of a Pix that were found beside its `payment_unknown`, once that turned out to be
 * a charge's, which has exceptions of its own for them. Whoever resolved the `payment_unknown`: only its credit keeps them.
 * `acquirerIds` are the bank's ids of the returns.
 */
export const makeResolveBesideUnknown = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount
  const resolveByItself = yield* makeResolveByItself

  return Effect.fnUntraced(function* (
    transactionId: string,
    endToEndId: string,
    acquirerIds: ReadonlyArray<string>,
  ) {
    const place = unknownPixPlace(endToEndId, partitions)
    // In the charge's own partition the same exception is both.
    if (acquirerIds.length === 0 || partitionOfId(place.id) === partitionOfId(transactionId)) return
    const unknown = yield* exceptions.findFact(place.id, place.fact)
    if (unknown?.state !== "resolved" || readException(unknown).act === "credit") return
    for (const id of acquirerIds) {
      const fact = factOf("payment_returned", `${endToEndId}:${id}`)
      yield* resolveByItself(place.id, fact, `It is recorded of ${transactionId}`)
    }
  })
})

/**
 * Makes the program that resolves each `payment_returned` that a charge's report leaves without a meaning: the charge itself records the
 * return, or it was found beside a `payment_unknown` (docs/contract/exceptions.md#kinds).
 */
export const makeResolveReturned = Effect.gen(function* () {
  const resolveByItself = yield* makeResolveByItself
  const resolveBesideUnknown = yield* makeResolveBesideUnknown

  return Effect.fnUntraced(function* (stored: StoredTransaction, { payments }: ChargeReport) {
    if (stored.mode === "test") return
    const charge = readCharge(stored)
    for (const { endToEndId, refunds } of payments) {
      const ids = refunds.flatMap(({ id, status }) => (status === "done" ? [id] : []))
      const booked = charge.end_to_end_id === endToEndId ? ids.filter((id) => isRecorded(charge, id)) : []
      for (const id of booked) {
        const fact = factOf("payment_returned", `${endToEndId}:${id}`)
        yield* resolveByItself(stored.id, fact, `It is booked of ${stored.id}`)
      }
      yield* resolveBesideUnknown(stored.id, endToEndId, ids)
    }
  })
})
