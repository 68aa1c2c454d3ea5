import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import { type ExceptionChange, ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { stale } from "../../runtime/decideAndCommit.ts"
import { exceptionRefused } from "../decisions/exceptionActs.ts"
import { decideResolved, readException } from "../decisions/exceptionDocument.ts"
import { decideReturned, readCharge } from "../decisions/transactionTransitions.ts"
import { type ActContext, committedChange } from "./exceptionActs.ts"

/** How a return is debited: it is booked with its charge, or leaves the balance of a seller who was credited. */
type ReturnDebit =
  | { readonly kind: "booked"; readonly change: ExceptionChange }
  | { readonly kind: "credited"; readonly sellerId: string }

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Makes the program that decides the debit of a `payment_returned`. A return of the Pix that paid a charge is booked as one that began
 * at the acquirer, so that the same return is known once the acquirer's query has it, too. One of a credited Pix leaves `available` of
 * the seller who got the credit; 409 while nobody has got it.
 */
export const makeReturnDebit = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore
  const transactions = yield* TransactionStore

  /** The seller who was credited with a Pix. */
  const creditedSeller = Effect.fnUntraced(function* (stored: StoredException, endToEndId: string) {
    const account = stored.account ?? acquirers.live.account
    const [holder = ""] = yield* claims.findAll(account, [endToEndId])
    const credited = holder.startsWith("exc_") ? yield* exceptions.load(holder) : undefined
    if (credited === undefined) return undefined
    const { act, seller_id: sellerId } = readException(credited)
    return act === "credit" ? (sellerId ?? undefined) : undefined
  })

  return Effect.fnUntraced(function* (stored: StoredException, { resolution, time }: ActContext) {
    const { resource_id: id, amount, details } = readException(stored)
    const endToEndId = text(details.end_to_end_id)
    const charge = id === null ? undefined : yield* transactions.load(id)
    if (charge !== undefined && readCharge(charge).end_to_end_id === endToEndId) {
      const kind = details.return_kind === "chargeback" ? "chargeback" : "refund"
      const commit = decideReturned(charge, { id: text(details.return_id), amount, kind }, time)
      if (commit === undefined) {
        return yield* exceptionRefused(stored, "has nothing to debit: the return is booked", {
          reason: "nothing_left",
        })
      }
      const change = decideResolved(stored, resolution, time)
      const outcome = yield* transactions.transition({ ...commit, exception: { kind: "change", change } })
      const done = yield* committedChange(stored, change, outcome)
      return done === stale ? stale : ({ kind: "booked", change: done } satisfies ReturnDebit)
    }
    const sellerId = yield* creditedSeller(stored, endToEndId)
    if (sellerId === undefined) {
      return yield* exceptionRefused(stored, "has nothing to debit: its Pix was credited to nobody", {
        reason: "not_credited",
      })
    }
    return { kind: "credited", sellerId } satisfies ReturnDebit
  })
})
