import { readRefund } from "../../../actors/seller/decisions/refundTransitions.ts"
import { readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import type { Exception, ExceptionKind } from "../../../schema/resources/exception.ts"
import type { Account } from "./centavos.ts"
import type { Found } from "./exceptions.ts"
import { type History, payoutOf } from "./history.ts"

/** Whether a later answer of the acquirer's has settled an exception. */
const isByItself = ({ state, act, resolved_by }: Exception): boolean =>
  state === "resolved" && act === "dismiss" && resolved_by === null

const backOf = (refunds: ReadonlyArray<{ readonly amount: number }>): number =>
  refunds.reduce((sum, { amount }) => sum + amount, 0)

/** What is to be seen of a return of a payment that paid no charge. */
const seenOfReturn = ({ exception }: Found, found: ReadonlyArray<Found>): ReadonlyArray<Sight> => {
  const { exception_id: creditedId } = exception.details
  if (creditedId === undefined) return ["a return that only the list has"]
  const credited = found.find(
    ({ stored, exception: { act } }) => stored.id === creditedId && act === "credit",
  )
  const isEarlier = exception.created_at < (credited?.exception.resolved_at ?? "")
  return [
    ...(credited === undefined ? [] : ["a return of a credited payment" as const]),
    ...(exception.act === "debit" ? ["its debit" as const] : []),
    ...(isEarlier ? ["a return that came before the credit" as const] : []),
  ]
}

/** What is to be seen of an exception of a Pix that came in, or of a refund. */
const seenOfPix = (told: History, one: Found): ReadonlyArray<Sight> => {
  const { claimed_by: holder, refund_failure: failure, end_to_end_id: endToEndId } = one.exception.details
  const sendings = told.partner(one.side).sendings.get(String(endToEndId)) ?? 0
  return [
    ...(typeof holder === "string" && holder.startsWith("txn_") ? ["a Pix of two charges" as const] : []),
    ...(typeof holder === "string" && holder.startsWith("exc_")
      ? ["a credited Pix that its charge names later" as const]
      : []),
    ...(failure !== undefined && sendings > 1 ? ["an exception's refund that came to nothing" as const] : []),
  ]
}

/** What is to be seen of an exception by its kind alone. */
const seenOfKind: Partial<Record<ExceptionKind, (one: Found) => ReadonlyArray<Sight>>> = {
  payment_unknown: (one) =>
    isByItself(one.exception) ? ["a Pix without a txid that was unknown at first"] : [],
  payment_unconfirmed: (one) => [
    isByItself(one.exception) ? "one that its query had later" : "a Pix that only the list has",
  ],
  refund_stuck: ({ exception: { act } }) =>
    act === null
      ? []
      : [act === "settle" ? "a stuck refund that was settled" : "a stuck refund that was failed"],
}

/** What is to be seen of a payout that list and query tell differently. */
const seenOfListed = (one: Found): ReadonlyArray<Sight> => {
  if (!one.about.includes(":listed:")) return []
  if (isByItself(one.exception)) return ["what list and query told of a payout differently for a while"]
  return [
    one.stored.kind === "payout_contradicted"
      ? "a payout that only the list has as gone"
      : "a payout that only the query has as gone",
  ]
}

/** What random histories must come to, besides each kind of exception. */
export const sights = [
  "a payout that was made after its return was booked",
  "the debit of that",
  "another return after that debit",
  "a payout of another amount",
  "the debit of one",
  "what came back of one that was debited",
  "a freeze",
  "a seller's refund that succeeded",
  "a seller's refund that failed",
  "more that went back than was paid",
  "what went back after the charge had ended",
  "a return of a credited payment",
  "its debit",
  "a return that came before the credit",
  "a Pix of two charges",
  "a credited Pix that its charge names later",
  "a Pix without a txid that was unknown at first",
  "a Pix that only the list has",
  "one that its query had later",
  "a return that only the list has",
  "a payout that only the list has as gone",
  "a payout that only the query has as gone",
  "what list and query told of a payout differently for a while",
  "a payout that waited for the end of a debt",
  "a stuck refund that was settled",
  "a stuck refund that was failed",
  "an exception's refund that came to nothing",
  "an act that the bank's word refused",
  "an act without the bank's word",
] as const
export type Sight = (typeof sights)[number]

/** What came to pass in a history. */
export const seenOf = (
  told: History,
  found: ReadonlyArray<Found>,
  { charges, refunds }: Account,
): ReadonlySet<Sight> => {
  const seen = new Set<Sight>()
  for (const charge of charges.map(readCharge)) {
    if (charge.refunded_amount > charge.amount) seen.add("more that went back than was paid")
    if (backOf(charge.refunds.slice(0, -1)) >= charge.amount) {
      seen.add("what went back after the charge had ended")
    }
  }
  if (told.frozenTimes > 0) seen.add("a freeze")
  if (told.debtTimes > 0) seen.add("a payout that waited for the end of a debt")
  if (told.bankWords.has("refused")) seen.add("an act that the bank's word refused")
  if (told.bankWords.has("without bank")) seen.add("an act without the bank's word")
  for (const one of found) {
    const { stored, about, exception } = one
    const { kind } = stored
    const more = kind === "payment_returned" ? seenOfReturn(one, found) : seenOfPix(told, one)
    for (const sight of [...more, ...(seenOfKind[kind]?.(one) ?? []), ...seenOfListed(one)]) seen.add(sight)
    // Facts of what follows a booking have a part more (docs/decisions/0075-payouts-compared-by-what-is-gone.md).
    const isRound = about.split(":").length === 3 && !about.includes(":listed:")
    const withdrawal = told.withdrawals.find(({ id }) => id === exception.resource_id)
    const payout = withdrawal && payoutOf(told, withdrawal)
    const isOther = payout !== undefined && payout.amount !== payout.asked
    const isDebited = exception.act === "debit"
    if (kind === "payout_contradicted") {
      if (isRound) seen.add("a payout that was made after its return was booked")
      if (isRound && isDebited) seen.add("the debit of that")
      if (isOther) seen.add("a payout of another amount")
      if (isOther && isDebited) seen.add("the debit of one")
    }
    if (kind === "payout_returned" && isRound) {
      seen.add(isOther ? "what came back of one that was debited" : "another return after that debit")
    }
  }
  for (const { origin, status } of refunds.map(readRefund)) {
    if (origin === "seller" && status === "succeeded") seen.add("a seller's refund that succeeded")
    if (origin === "seller" && status === "failed") seen.add("a seller's refund that failed")
  }
  return seen
}
