import type { Effect } from "effect"
import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { isRecorded } from "../../../actors/seller/decisions/noticeAnswer.ts"
import { readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { readWithdrawal } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import type { ExceptionKind } from "../../../schema/resources/exception.ts"
import { exceptedThere } from "../../../src/closings/partnerBalance.ts"
import type { readAccount } from "../account.ts"
import type { Found } from "./exceptions.ts"
import { type History, isSaidOnly, payoutOf, payoutsOf, pixOf, type Withdrawal } from "./history.ts"
import type { Payout, Pix } from "./partnerAccount.ts"
import { price } from "./steps.ts"
import type { Side } from "./twoAccounts.ts"

/** What our books hold of a seller. */
export type Account = Effect.Success<ReturnType<typeof readAccount>>

const sumOf = (amounts: ReadonlyArray<number>): number => amounts.reduce((sum, one) => sum + one, 0)

const keptOf = ({ amount, backs }: Pix): number =>
  amount - sumOf(backs.map((back) => (back.status === "done" ? back.amount : 0)))

const goneOf = ({ status, amount, returned }: Payout): number => (status === "paid" ? amount - returned : 0)

/** Centavos that the partner has of a history at an account: received, less what went back and what went out. */
const thereOf = (told: History, side: Side): number =>
  sumOf(pixOf(told, side).map(keptOf)) - sumOf(payoutsOf(told, side).map(goneOf))

/** What entries say came in from the outside. */
const inflowOf = (entries: ReadonlyArray<StoredLedgerEntry>): number =>
  -sumOf(
    entries.flatMap(({ postings }) =>
      postings.map(({ bucket, amount }) => (bucket === "external" ? amount : 0)),
    ),
  )

/** Whether an operator left an exception at that. */
const isLeft = ({ exception: { act, resolved_by } }: Found): boolean =>
  act === "dismiss" && resolved_by !== null

/** Whether an exception stands for money: it is open, or an operator left it at that. */
const stands = (found: Found): boolean => found.exception.state === "open" || isLeft(found)

/**
 * The centavos of a payout that are gone at the partner, as an exception says of it. What comes back of a payout that nobody has
 * debited is told of once it is debited.
 */
const claimOf = ({ about, stored, exception }: Found, out: number, payout: Payout): number | undefined => {
  const { returned_amount, amount_there, status_there } = exception.details
  switch (stored.kind) {
    case "payout_contradicted":
      return (
        Number(amount_there) - (about === exception.resource_id ? payout.returned : Number(returned_amount))
      )
    case "payout_returned":
      return status_there === "not_paid" ? 0 : out - Number(returned_amount)
    default:
      return undefined
  }
}

/** What exceptions say of a withdrawal's payout besides its ledger entries: nothing, unless one says what is gone now. */
const exceptedOfPayout = (
  told: History,
  withdrawal: Withdrawal,
  { entries, withdrawals }: Account,
  found: ReadonlyArray<Found>,
): number => {
  const payout = payoutOf(told, withdrawal)
  const stored = withdrawals.find(({ id }) => id === withdrawal.id)
  if (payout === undefined || stored === undefined) return 0
  const gone = goneOf(payout)
  const booked = -inflowOf(entries.filter(({ resourceId }) => resourceId === withdrawal.id))
  const { returned_amount = 0 } = readWithdrawal(stored)
  const isSaid = found
    .filter((one) => one.exception.resource_id === withdrawal.id && stands(one))
    .some((one) => claimOf(one, booked + returned_amount, payout) === gone)
  return isSaid ? booked - gone : 0
}

const arrivals: ReadonlySet<ExceptionKind> = new Set([
  "payment_unknown",
  "double_payment",
  "amount_mismatch",
  "payment_unconfirmed",
])

/**
 * What exceptions say of a Pix besides ledger entries. Open ones count as a closing has them; of those that operators left at that one
 * counts, where no other and no entry does, less what went back of it since without another exception.
 */
const exceptedOfPix = (pix: Pix, { charges }: Account, here: ReadonlyArray<Found>): number => {
  const found = here.filter(({ exception }) => exception.details.end_to_end_id === pix.endToEndId)
  const charge = charges.map(readCharge).find((one) => one.end_to_end_id === pix.endToEndId)
  const came = found.filter(({ stored }) => arrivals.has(stored.kind))
  const isCounted =
    charge !== undefined ||
    came.some(
      ({ exception: { state, act, details } }) =>
        act === "credit" || (state === "open" && !("claimed_by" in details)),
    )
  // While the partner decides on a refund of it, the first exception stays open beside what the charge has meanwhile.
  const isFirst = ({ stored: { kind } }: Found) =>
    kind === "payment_unknown" || kind === "payment_unconfirmed"
  const isBeside = (one: Found) =>
    isFirst(one) &&
    one.stored.pending !== "" &&
    (charge !== undefined || came.some((other) => !isFirst(other) && other.exception.state === "open"))
  const left = came.some(isLeft) && !isCounted ? pix.amount : 0
  const backs = pix.backs
    .filter(({ status }) => status === "done")
    .map(({ id, amount }) => {
      const returned = found.filter(({ about }) => about === `${pix.endToEndId}:${id}`)
      const isDebited = returned.some(({ exception }) => exception.act === "debit")
      const isBooked = charge !== undefined && isRecorded(charge, id)
      if (isBooked || isDebited || returned.some(({ exception }) => exception.state === "open")) return 0
      return returned.some(isLeft) || left > 0 ? -amount : 0
    })
  const open = found.filter((one) => one.exception.state === "open" && !isBeside(one))
  return left + sumOf(backs) + sumOf(open.map(({ exception }) => exceptedThere(exception)))
}

/** What only an operator says: a charge that nobody paid by then is settled, or a payout or refund that the partner has not made. */
const saidByOperators = (told: History, side: Side): number => {
  const settled = told.charges.filter((one) => one.side === side && one.ended === "settle")
  const unsure = told.withdrawals.filter((one) => {
    const status = payoutOf(told, one)?.status ?? "processing"
    return one.side === side && one.ended === "settle" && status === "processing"
  })
  const refunds = told.refunds.filter((one) => one.side === side && isSaidOnly(told, one))
  return settled.length * price - sumOf([...unsure, ...refunds].map(({ amount }) => amount))
}

/**
 * Centavos that the partner has at an account, and that are neither in the ledger nor in an exception that is open or dismissed, nor an
 * operator's word. 0 where every centavo is somewhere.
 */
export const unexplainedOf = (
  told: History,
  side: Side,
  account: Account,
  found: ReadonlyArray<Found>,
): number => {
  const charges = told.charges.filter((one) => one.side === side).map(({ id }) => id)
  const withdrawals = told.withdrawals.filter((one) => one.side === side)
  const here = found.filter((one) => one.side === side)
  const ids = new Set([
    ...charges,
    ...withdrawals.map(({ id }) => id),
    ...told.refunds.filter((one) => one.side === side).map(({ id }) => id),
    ...here.map(({ stored }) => stored.id),
  ])
  const booked = inflowOf(account.entries.filter(({ resourceId }) => ids.has(resourceId)))
  const excepted =
    sumOf(pixOf(told, side).map((pix) => exceptedOfPix(pix, account, here))) +
    sumOf(
      here
        .filter((one) => one.stored.kind === "payout_unknown" && stands(one))
        .map(({ exception }) => exceptedThere(exception)),
    ) +
    sumOf(withdrawals.map((withdrawal) => exceptedOfPayout(told, withdrawal, account, here)))
  return thereOf(told, side) - (booked + excepted - saidByOperators(told, side))
}
