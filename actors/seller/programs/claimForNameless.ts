import { Effect } from "effect"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { factOf, readException } from "../decisions/exceptionDocument.ts"

/**
 * Makes the program for Pix of a charge that the acquirer names only after an operator has credited the charge's payment without
 * knowing its Pix: the first of them that nobody has belongs to that credit, so that it does not count again
 * (docs/contract/exceptions.md#one-pix-one-use).
 */
export const makeClaimForNameless = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const claims = yield* PixClaimStore

  return Effect.fnUntraced(function* (
    transactionId: string,
    account: string,
    endToEndIds: ReadonlyArray<string>,
  ) {
    const exception = yield* exceptions.findFact(transactionId, factOf("payment_unconfirmed", transactionId))
    if (exception?.state !== "resolved" || readException(exception).act !== "credit") return
    const holders = yield* claims.findAll(account, endToEndIds)
    if (holders.includes(exception.id)) return
    const free = endToEndIds.find((_, i) => holders[i] === undefined)
    if (free !== undefined) yield* claims.claim({ account, endToEndId: free }, exception.id)
  })
})
