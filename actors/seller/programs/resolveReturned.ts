import { Effect } from "effect"
import { partitionOfId } from "../../../schema/ids.ts"
import type { ChargeReport } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import { factOf, isByItself, readException, unknownPixPlace } from "../decisions/exceptionDocument.ts"
import { isRecorded } from "../decisions/noticeAnswer.ts"
import { readCharge } from "../decisions/transactionTransitions.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

/**
 * Makes the program that resolves each `payment_returned` that a charge's report leaves without a meaning: the charge itself records the
 * return; or it was found beside a `payment_unknown` whose Pix turned out to be the charge's, which has an exception of its own for it
 * (docs/contract/exceptions.md#kinds).
 */
export const makeResolveReturned = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount
  const resolveByItself = yield* makeResolveByItself

  return Effect.fnUntraced(function* (stored: StoredTransaction, { payments }: ChargeReport) {
    if (stored.mode === "test") return
    const charge = readCharge(stored)
    const reason = `It is booked or recorded of ${stored.id}`
    for (const { endToEndId, refunds } of payments) {
      const facts = refunds.flatMap(({ id, status }) =>
        status === "done" ? [{ id, fact: factOf("payment_returned", `${endToEndId}:${id}`) }] : [],
      )
      if (facts.length === 0) continue
      if (charge.end_to_end_id === endToEndId) {
        for (const { id, fact } of facts)
          if (isRecorded(charge, id)) yield* resolveByItself(stored.id, fact, reason)
      }
      const place = unknownPixPlace(endToEndId, partitions)
      // In the charge's own partition the same exception is both.
      if (partitionOfId(place.id) === partitionOfId(stored.id)) continue
      const unknown = yield* exceptions.findFact(place.id, place.fact)
      if (unknown === undefined || !isByItself(readException(unknown))) continue
      for (const { fact } of facts) yield* resolveByItself(place.id, fact, reason)
    }
  })
})
