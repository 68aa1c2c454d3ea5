import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { isOfReturn } from "../../../actors/values/acquirerRefund.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { readAccount } from "../account.ts"
import { type Account, unexplainedOf } from "./centavos.ts"
import { exceptionsOf, type Found } from "./exceptions.ts"
import { type Charge, type History, isSaidOnly, paymentsOf } from "./history.ts"
import { recordsOf } from "./notices.ts"
import { type Back, isShownBy, type Pix } from "./partnerAccount.ts"
import { seenOf } from "./sights.ts"
import { price } from "./steps.ts"
import { otherSide, sides } from "./twoAccounts.ts"

/** What our books have of a history in the end: where the partner's allow more than one end, the one that came to pass. */
interface Books {
  readonly charges: ReadonlyArray<Transaction>
  readonly found: ReadonlyArray<Found>
}

const accountOf = (told: History) => told.run(readAccount(told.principal))

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

/** Whether a Pix that could pay a charge counts elsewhere: an operator credited it, or another charge that names it was first. */
const countsElsewhere = ({ endToEndId }: Pix, { id }: Charge, { charges, found }: Books): boolean =>
  charges.some((charge) => charge.id !== id && charge.end_to_end_id === endToEndId) ||
  found.some(({ exception: { act, details } }) => act === "credit" && details.end_to_end_id === endToEndId) ||
  // Two charges name it, and an exception of the other has it.
  (!charges.some((charge) => charge.end_to_end_id === endToEndId) &&
    found.some(
      ({ about, exception: { resource_id, details } }) =>
        about === endToEndId && (resource_id === id ? "claimed_by" in details : resource_id !== null),
    ))

/**
 * The Pix that a charge has heard of: one that neither its item nor its own query names, or that is another's by its item, need not have
 * come to it.
 */
const heardOf = (told: History, charge: Charge, { charges, found }: Books): ReadonlyArray<Pix> => {
  const stored = charges.find(({ id }) => id === charge.id)
  const isKnown = ({ endToEndId }: Pix) =>
    stored?.end_to_end_id === endToEndId ||
    stored?.exceptions.some(({ end_to_end_id }) => end_to_end_id === endToEndId) === true
  const isElsewhere = ({ endToEndId }: Pix) =>
    charges.some(({ end_to_end_id }) => end_to_end_id === endToEndId) ||
    found.some(({ about, exception: { resource_id } }) => about === endToEndId && resource_id !== charge.id)
  return paymentsOf(told, charge)
    .filter(isShownBy("query"))
    .filter((pix) => {
      const isToldOf = pix.nameless === undefined && pix.txid === charge.txid
      return isToldOf || isKnown(pix) || !isElsewhere(pix)
    })
}

/** What must become of a charge, by the partner's books, what an operator said, and who was first where two charges name one Pix. */
const expectedCharge = (told: History, charge: Charge, books: Books) => {
  const { ended, isExpired, id } = charge
  const payments = heardOf(told, charge, books)
  const paid =
    ended === undefined
      ? payments.find((pix) => pix.amount === price && !countsElsewhere(pix, charge, books))
      : undefined
  const isDebited = (back: Back) =>
    books.found.some(
      ({ about, exception }) => about === `${paid?.endToEndId}:${back.id}` && exception.act === "debit",
    )
  const shown = paid?.backs.filter(
    (back) => back.status === "done" && (isShownBy("query")(back) || isDebited(back)),
  )
  const said = told.refunds.filter((one) => one.endToEndId === paid?.endToEndId && isSaidOnly(told, one))
  const backs = [
    ...(shown ?? []),
    ...said.map(({ refundId, amount }) => ({ id: refundId, amount, kind: "refund" as const })),
  ]
  const isOwn = (back: Pick<Back, "id">) =>
    told.refunds.some(({ refundId, ended: how }) => refundId === back.id && how !== "fail")
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
        )?.id ?? acquirerRefundIdOf(refundId),
    )
    .sort()
}

const statusOf = ({ status, refunds }: Transaction): string =>
  status === "refunded" || status === "chargeback" ? wholeOf(refunds) : status

const foundCharge = (
  told: History,
  known: Charge,
  { charges, entries }: Account,
  found: ReadonlyArray<Found>,
) => {
  const stored = charges.find(({ id }) => id === known.id)
  if (stored === undefined) throw new Error("the charge is gone")
  const charge = readCharge(stored)
  const isOwn = ({ end_to_end_id }: { readonly end_to_end_id: string }) =>
    end_to_end_id === charge.end_to_end_id
  /** Whether it counts elsewhere: of a charge that an operator failed nobody says whether it had heard of that Pix before. */
  const isShared = (endToEndId: string) =>
    known.ended === "fail" &&
    (found.some(({ about, exception }) => about === endToEndId && "claimed_by" in exception.details) ||
      paymentsOf(told, known).some((one) => one.endToEndId === endToEndId && one.txid !== known.txid))
  return {
    ...{ id: known.id, status: statusOf(charge), end_to_end_id: charge.end_to_end_id },
    refunded: charge.refunded_amount,
    refunds: partnerIdsOf(
      charge.refunds.map(({ id }) => id),
      paymentsOf(told, known),
    ),
    exceptions: charge.exceptions
      .filter((one) => !isOwn(one))
      .map(({ end_to_end_id, kind }) => [
        end_to_end_id,
        kind === "double_payment" && isShared(end_to_end_id) ? "late_payment" : kind,
      ])
      .sort(),
    isLate: charge.exceptions.some((one) => isOwn(one) && one.kind === "late_payment"),
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

/** The exceptions of what is none of ours. Whether a Pix of a charge that its item does not name is one for a while is not told here. */
const strangeOf = ({ strangers }: History, found: ReadonlyArray<Found>) =>
  found
    .filter(({ stored: { kind }, about }) =>
      kind === "payment_unknown"
        ? strangers.some(({ endToEndId }) => endToEndId === about)
        : kind === "payout_unknown",
    )
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

/** Whether the notices of charges were processed, each once; those of a charge with a refund under way wait for its end, and those of what its query does not have for good. */
const recordsOfCharges = async (told: History) => {
  const isUnderWay = ({ status, hidden }: Back) => hidden !== undefined || status === "processing"
  const isReturning = (charge: Charge) =>
    paymentsOf(told, charge).some(({ backs, hidden }) => hidden !== undefined || backs.some(isUnderWay))
  const all = await Promise.all(
    told.charges
      .filter((charge) => !isReturning(charge))
      .map(({ id }) => told.run(recordsOf(id, told.bodies.get(id) ?? []))),
  )
  return all.flat().map(({ signatureValid, processedAt }) => [signatureValid, processedAt !== undefined])
}

/** What our books hold of a history in the end (`found`), what they must (`expected`); its ledger, and the kinds of its exceptions. */
export const outcomeOf = async (told: History, failures: ReadonlyArray<number>) => {
  const account = await accountOf(told)
  const exceptions = await exceptionsOf(told)
  const books = { charges: account.charges.map(readCharge), found: exceptions }
  const records = await recordsOfCharges(told)
  const credited = exceptions.filter(({ exception }) => exception.act === "credit")
  return {
    account,
    kinds: exceptions.map(({ stored }) => stored.kind),
    seen: seenOf(told, exceptions, account),
    found: {
      charges: told.charges.map((charge) => foundCharge(told, charge, account, exceptions)),
      strange: strangeOf(told, exceptions),
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
      charges: told.charges.map((charge) => expectedCharge(told, charge, books)),
      strange: expectedStrange(told),
      credits: credited.map(({ stored, exception }) => [stored.id, exception.amount]).sort(),
      unexplained: sides.map(() => 0),
      ...{ faults: [], trespasses: [], unsaid: [] },
      sweeps: failures.map(() => 0),
      records: records.map(() => [true, true]),
    },
  }
}
