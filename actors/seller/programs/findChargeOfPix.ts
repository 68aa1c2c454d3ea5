import { Effect } from "effect"
import { transactionIdOfTxid } from "../../../schema/ids.ts"
import type { Acquirer } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { boundedCall } from "./acquirerCalls.ts"

/** Whose a received Pix is that names no charge by itself. */
export type ChargeOfPix =
  | { readonly kind: "charge"; readonly transactionId: string }
  | { readonly kind: "nobody" }
  /** The acquirer did not answer. */
  | { readonly kind: "silent"; readonly reason: string }

/**
 * Makes the program that finds the live charge of a Pix by its end-to-end id alone: the one that has it or an exception of it, or the
 * one whose txid the acquirer's query of the Pix names.
 */
export const makeFindChargeOfPix = Effect.gen(function* () {
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore
  const transactions = yield* TransactionStore

  const ofHolder = Effect.fnUntraced(function* (holder: string) {
    if (holder.startsWith("txn_")) return holder
    const exception = yield* exceptions.load(holder)
    return exception === undefined ? undefined : (readException(exception).resource_id ?? undefined)
  })

  const named = ({ queryPix }: Acquirer, endToEndId: string) =>
    queryPix === undefined
      ? Effect.succeed(undefined)
      : boundedCall("query Pix", queryPix(endToEndId)).pipe(
          Effect.map((pix) => (pix?.txid === undefined ? undefined : transactionIdOfTxid(pix.txid))),
          Effect.catch(({ reason }) => Effect.succeed({ silent: reason } as const)),
        )

  return (acquirer: Acquirer, endToEndId: string): Effect.Effect<ChargeOfPix, StoreUnavailable> =>
    Effect.gen(function* () {
      const [holder] = yield* claims.findAll(acquirer.account, [endToEndId])
      const known = holder === undefined ? undefined : yield* ofHolder(holder)
      if (known !== undefined) return { kind: "charge", transactionId: known }
      const found = yield* named(acquirer, endToEndId)
      if (typeof found === "object") return { kind: "silent", reason: found.silent }
      const charge = found === undefined ? undefined : yield* transactions.load(found)
      return charge?.mode === "live" ? { kind: "charge", transactionId: charge.id } : { kind: "nobody" }
    })
})
