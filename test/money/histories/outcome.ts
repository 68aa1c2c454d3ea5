import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { readRefund } from "../../../actors/seller/decisions/refundTransitions.ts"
import { readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { isOfReturn } from "../../../actors/values/acquirerRefund.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { readAccount } from "../account.ts"
import { type Account, unexplainedOf } from "./centavos.ts"
import { exceptionsOf, type Found } from "./exceptions.ts"
import { type Charge, type History, payoutOf } from "./history.ts"
import { recordsOf } from "./notices.ts"
import type { Back, Pix } from "./partnerAccount.ts"
import { price } from "./steps.ts"
import { otherSide, sides } from "./twoAccounts.ts"

const accountOf = (told: History) => told.run(readAccount(told.principal))

const paymentsOf = (told: History, { side, txid }: Charge): ReadonlyArray<Pix> =>
  told.partner(side).payments.get(txid) ?? []

const sumOf = (backs: ReadonlyArray<Pick<Back, "amount">>): number =>
  backs.reduce((sum, { amount }) => sum + amount, 0)

/**
 * The status of a charge whose money went back. It ends with what makes it whole, so where more went back than was paid, and not
 * all of it in the same way, the order in which we heard of it decides.
 */
const wholeOf = (backs: ReadonlyArray<Pick<Back, "amount" | "kind">>): string => {
  const isAny = (kind: Back["kind"]) => backs.some((one) => one.kind === kind)
  if (sumOf(backs) > price && isAny("refund") && isAny("chargeback")) return "refunded or chargeback"
  return isAny("chargeback") ? "chargeback" : "refunded"
}

/** What must become of a charge, by the partner's books and what an operator said alone. */
const expectedCharge = (told: History, charge: Charge) => {
  const { ended, isExpired, id } = charge
  const payments = paymentsOf(told, charge)
  const paid = ended === undefined ? payments.find(({ amount }) => amount === price) : undefined
  const backs = paid?.backs.filter(({ status }) => status === "done") ?? []
  const isOwn = ({ id }: Back) => told.refunds.some(({ refundId }) => refundId === id)
  const back = sumOf(backs)
  const unpaid = ended === "settle" ? "paid" : ended === "fail" ? "failed" : isExpired ? "expired" : "pending"
  const late = ended === "fail" ? "late_payment" : "double_payment"
  return {
    id,
    status: paid === undefined ? unpaid : back >= price ? wholeOf(backs) : "paid",
    end_to_end_id: paid?.endToEndId ?? null,
    refunds: backs.map((one) => one.id).sort(),
    refunded: back,
    exceptions: payments
      .filter((payment) => payment !== paid)
      .map(({ endToEndId, amount }) => [endToEndId, amount === price ? late : "amount_mismatch"])
      .sort(),
    isLate: isExpired && paid !== undefined,
    entries: (paid === undefined && ended !== "settle" ? 0 : 1) + backs.filter((one) => !isOwn(one)).length,
  }
}

/** The partner's ids of the returns that the refunds of a charge stand for. */
const partnerIdsOf = (refundIds: ReadonlyArray<string>, payments: ReadonlyArray<Pix>) => {
  const backs = payments.flatMap(({ endToEndId, backs }) => backs.map(({ id }) => ({ endToEndId, id })))
  return refundIds
    .map(
      (refundId) =>
        backs.find(
          ({ endToEndId, id }) => id === acquirerRefundIdOf(refundId) || isOfReturn(refundId, endToEndId, id),
        )?.id,
    )
    .sort()
}

const statusOf = ({ status, refunds }: Transaction): string =>
  status === "refunded" || status === "chargeback" ? wholeOf(refunds) : status

const foundCharge = (told: History, known: Charge, { charges, entries }: Account) => {
  const stored = charges.find(({ id }) => id === known.id)
  if (stored === undefined) throw new Error("the charge is gone")
  const charge = readCharge(stored)
  const isOwn = ({ end_to_end_id }: { readonly end_to_end_id: string }) =>
    end_to_end_id === charge.end_to_end_id
  return {
    ...{ id: known.id, status: statusOf(charge), end_to_end_id: charge.end_to_end_id },
    refunded: charge.refunded_amount,
    refunds: partnerIdsOf(
      charge.refunds.map(({ id }) => id),
      paymentsOf(told, known),
    ),
    exceptions: charge.exceptions
      .filter((one) => !isOwn(one))
      .map(({ end_to_end_id, kind }) => [end_to_end_id, kind])
      .sort(),
    isLate: charge.exceptions.some(isOwn),
    entries: entries.filter(({ resourceId }) => resourceId === known.id).length,
  }
}

/** How often, and with how much, each exception's money was credited. */
const creditsOf = (entries: ReadonlyArray<StoredLedgerEntry>) =>
  entries
    .filter(({ kind }) => kind === "payment_credited")
    .map(({ resourceId, postings }) => [
      resourceId,
      postings.find(({ bucket }) => bucket === "available")?.amount,
    ])
    .sort()

/** The ids that an account was asked about, or sent, that are another's. */
const trespassesOf = (told: History): ReadonlyArray<string> =>
  [
    ...told.charges.map(({ side, txid }) => ({ side, id: txid })),
    ...told.withdrawals.map(({ side, payoutId }) => ({ side, id: payoutId })),
    ...told.refunds.map(({ side, endToEndId: id }) => ({ side, id })),
    ...told.acts.flatMap(({ side, endToEndId: id }) => (id === undefined ? [] : [{ side, id }])),
  ]
    .filter(({ side, id }) => told.partner(otherSide(side)).asked.has(id))
    .map(({ id }) => id)

/** What the partner should never have been asked for. */
const partnerFaultsOf = (told: History): ReadonlyArray<string> =>
  sides.flatMap((side) => {
    const { faults } = told.partner(side)
    const ids = [
      ...told.withdrawals.map(({ payoutId }) => payoutId),
      ...told.refunds.map(({ endToEndId }) => endToEndId),
      ...told.acts.map((act) => act.endToEndId),
    ]
    return ids.flatMap((id) => (id === undefined ? [] : (faults.get(id) ?? [])))
  })

/** What of the touched is no exception, although the other account is configured for it. */
const unsaidOf = ({ touched }: History, found: ReadonlyArray<Found>): ReadonlyArray<string> => {
  const said = new Set(
    found.flatMap(({ stored, about }) => (stored.kind === "partner_changed" ? [about] : [])),
  )
  return [...touched].filter((id) => !said.has(id))
}

const strangeOf = (found: ReadonlyArray<Found>) =>
  found
    .filter(({ stored }) => stored.kind === "payment_unknown" || stored.kind === "payout_unknown")
    .map(({ about, side, exception, stored }) => [about, stored.account, side, exception.amount])
    .sort()

const expectedStrange = ({ strangers, strangePayouts, partner }: History) =>
  [
    ...strangers.map(({ endToEndId, side, amount }) => [
      endToEndId,
      partner(side).acquirer.account,
      side,
      amount,
    ]),
    ...strangePayouts.map(({ side, payout: { payoutId, endToEndId, amount } }) => [
      ...[payoutId ?? endToEndId, partner(side).acquirer.account, side, amount],
    ]),
  ].sort()

/** Whether the notices of charges were processed, each once; those of a charge with a refund under way wait for its end. */
const recordsOfCharges = async (told: History) => {
  const isUnderWay = ({ id, status }: Back) =>
    status === "processing" && told.refunds.some(({ refundId }) => refundId === id)
  const isReturning = (charge: Charge) => paymentsOf(told, charge).some(({ backs }) => backs.some(isUnderWay))
  const all = await Promise.all(
    told.charges
      .filter((charge) => !isReturning(charge))
      .map(({ id }) => told.run(recordsOf(id, told.bodies.get(id) ?? []))),
  )
  return all.flat().map(({ signatureValid, processedAt }) => [signatureValid, processedAt !== undefined])
}

/** What random histories must come to, besides each kind of exception. */
export const sights = [
  "a payout that was made after its return was booked",
  "its debit",
  "another return after that debit",
  "a payout of another amount",
  "the debit of one",
  "what came back of one that was debited",
  "a freeze",
  "a seller's refund that succeeded",
  "a seller's refund that failed",
  "more that went back than was paid",
  "what went back after the charge had ended",
] as const
export type Sight = (typeof sights)[number]

/** What came to pass in a history. */
const seenOf = (
  told: History,
  found: ReadonlyArray<Found>,
  { charges, refunds }: Account,
): ReadonlySet<Sight> => {
  const seen = new Set<Sight>()
  for (const charge of charges.map(readCharge)) {
    if (charge.refunded_amount > charge.amount) seen.add("more that went back than was paid")
    if (sumOf(charge.refunds.slice(0, -1)) >= charge.amount) {
      seen.add("what went back after the charge had ended")
    }
  }
  if (told.frozenTimes > 0) seen.add("a freeze")
  for (const { stored, about, exception } of found) {
    const { kind } = stored
    // Facts of what follows a booking have a part more (docs/decisions/0075-payouts-compared-by-what-is-gone.md).
    const isRound = about.split(":").length === 3
    const withdrawal = told.withdrawals.find(({ id }) => id === exception.resource_id)
    const payout = withdrawal && payoutOf(told, withdrawal)
    const isOther = payout !== undefined && payout.amount !== payout.asked
    const isDebited = exception.act === "debit"
    if (kind === "payout_contradicted") {
      if (isRound) seen.add("a payout that was made after its return was booked")
      if (isRound && isDebited) seen.add("its debit")
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

/** What our books hold of a history in the end (`found`), what they must (`expected`); its ledger, and the kinds of its exceptions. */
export const outcomeOf = async (told: History, failures: ReadonlyArray<number>) => {
  const account = await accountOf(told)
  const exceptions = await exceptionsOf(told)
  const records = await recordsOfCharges(told)
  const credited = exceptions.filter(({ exception }) => exception.act === "credit")
  return {
    account,
    kinds: exceptions.map(({ stored }) => stored.kind),
    seen: seenOf(told, exceptions, account),
    found: {
      charges: told.charges.map((charge) => foundCharge(told, charge, account)),
      strange: strangeOf(exceptions),
      credits: creditsOf(account.entries),
      /** Centavos that the partner has and that are neither in the ledger nor in an exception, by account. */
      unexplained: sides.map((side) => unexplainedOf(told, side, account, exceptions)),
      faults: [...account.faults, ...partnerFaultsOf(told), ...told.oddAnswers],
      trespasses: trespassesOf(told),
      unsaid: unsaidOf(told, exceptions),
      sweeps: failures,
      records,
    },
    expected: {
      charges: told.charges.map((charge) => expectedCharge(told, charge)),
      strange: expectedStrange(told),
      credits: credited.map(({ stored, exception }) => [stored.id, exception.amount]).sort(),
      unexplained: sides.map(() => 0),
      ...{ faults: [], trespasses: [], unsaid: [] },
      sweeps: failures.map(() => 0),
      records: records.map(() => [true, true]),
    },
  }
}
