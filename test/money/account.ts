import { Effect } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { Ledger, type Releases, type StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { isWithdrawalOver, type Withdrawal } from "../../schema/resources/withdrawal.ts"

/** More items of a kind than any test makes. */
const all = 5_000

const sumOf = (entry: StoredLedgerEntry): number =>
  entry.postings.reduce((sum, { amount }) => sum + amount, 0)

/** What is wrong with a seller's money, a sentence each: empty where all that must hold does, whatever was done. */
const faultsOf = (
  entries: ReadonlyArray<StoredLedgerEntry>,
  withdrawals: ReadonlyArray<{ readonly id: string; readonly status: string }>,
  refunds: ReadonlyArray<{ readonly id: string; readonly document: string }>,
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const fold = { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0, external: 0, fees: 0 }
  for (const [i, entry] of entries.entries()) {
    if (entry.seq !== i + 1) faults.push(`entry ${i + 1} has seq ${entry.seq}`)
    if (sumOf(entry) !== 0) faults.push(`entry ${entry.seq} does not sum to zero`)
    const before = fold.available
    for (const { bucket, amount } of entry.postings) fold[bucket] += amount
    const { available, reserve, pendingWithdraw, pendingRefund } = entry.balance
    if (
      available !== fold.available ||
      reserve !== fold.reserve ||
      pendingWithdraw !== fold.pending_withdraw ||
      pendingRefund !== fold.pending_refund
    ) {
      faults.push(`entry ${entry.seq} states another balance than its postings sum to`)
    }
    const isReturn = /^(charge_.*(refund|chargeback)|(payout|payment)_debited$)/.test(entry.kind)
    if (fold.available < 0 && fold.available < before && !isReturn) {
      faults.push(`${entry.kind} took available below zero`)
    }
    if (fold.reserve < 0 || fold.pending_withdraw < 0 || fold.pending_refund < 0)
      faults.push(`entry ${entry.seq} left a bucket below zero`)
  }
  const open = withdrawals.filter(({ status }) => !isWithdrawalOver(status as never))
  if (open.length > 1) faults.push(`${open.length} withdrawals are open`)
  for (const { id, status } of withdrawals) {
    const kinds = entries
      .filter(({ resourceId, kind }) => resourceId === id && !kind.startsWith("payout_"))
      .map(({ kind }) => kind)
    const end =
      status === "successful"
        ? ["withdrawal_settled"]
        : isWithdrawalOver(status as never)
          ? ["withdrawal_returned"]
          : []
    const expected = ["withdrawal_held", ...end]
    if (kinds.join() !== expected.join()) faults.push(`${status} ${id} has entries ${kinds.join()}`)
  }
  for (const { id, document } of refunds) {
    const { status, origin }: Refund = JSON.parse(document)
    const kinds = entries.filter(({ resourceId }) => resourceId === id).map(({ kind }) => kind)
    const end = { succeeded: ["refund_settled"], failed: ["refund_returned"], pending: [], processing: [] }[
      status
    ]
    const expected = origin === "partner" ? [] : ["refund_held", ...end]
    if (kinds.join() !== expected.join()) faults.push(`${status} ${id} has entries ${kinds.join()}`)
  }
  return faults
}

/** What is wrong with what came back of payouts, and with payouts that were debited after their withdrawals' ends. */
const payoutFaultsOf = (
  entries: ReadonlyArray<StoredLedgerEntry>,
  withdrawals: ReadonlyArray<{ readonly id: string; readonly document: string }>,
): ReadonlyArray<string> =>
  withdrawals.flatMap(({ id, document }) => {
    const { status, amount, returned_amount = 0, debited_amount = 0 }: Withdrawal = JSON.parse(document)
    const own = entries.filter(({ resourceId }) => resourceId === id)
    const goneBy = (kind: string) =>
      own
        .filter((entry) => entry.kind === kind)
        .flatMap(({ postings }) => postings.filter(({ bucket }) => bucket === "external"))
        .reduce((sum, posting) => sum + posting.amount, 0)
    const later = goneBy("payout_debited") + goneBy("payout_returned")
    const said = debited_amount - returned_amount
    const out = (status === "successful" ? amount : 0) + debited_amount
    const fees = own.filter(({ postings }) => postings.some(({ bucket }) => bucket === "fees")).length
    return [
      ...(later === said ? [] : [`${id} says that ${said} left after its end, not ${later}`]),
      ...(returned_amount >= 0 && returned_amount <= out
        ? []
        : [`of the ${out} of ${id} ${returned_amount} are back`]),
      ...(fees <= 1 ? [] : [`${id} was charged for ${fees} times`]),
    ]
  })

/** The calendar of releases that charges add up to, in order of days. */
const calendarOf = (charges: ReadonlyArray<{ readonly document: string }>): Releases["days"] => {
  const days = new Map<string, { amount: number; charges: number }>()
  for (const { document } of charges) {
    const { reserve }: Transaction = JSON.parse(document)
    if (reserve === null || reserve.released_at !== null || reserve.amount === 0) continue
    const day = dayOf(Date.parse(reserve.release_at))
    const before = days.get(day) ?? { amount: 0, charges: 0 }
    days.set(day, { amount: before.amount + reserve.amount, charges: before.charges + 1 })
  }
  return [...days].map(([day, sums]) => ({ day, ...sums })).toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

/** All that the store holds of a seller's money, and what is wrong with it. */
export const readAccount = Effect.fnUntraced(function* (principal: Principal) {
  const ledger = yield* Ledger
  const events = yield* EventLog
  const transactions = yield* TransactionStore
  const withdrawalStore = yield* WithdrawalStore
  const refundStore = yield* RefundStore
  const feed = { sellerId: principal.sellerId, mode: principal.mode }
  const page = {
    status: undefined,
    fromMillis: undefined,
    toMillis: undefined,
    beforeId: undefined,
    limit: all,
  }
  const entries = yield* ledger.readAfter(feed, "0", all)
  const charges = yield* transactions.list(principal, page)
  const withdrawals = yield* withdrawalStore.list(principal, page)
  const refunds = yield* refundStore.list(principal, { ...page, transactionId: undefined })
  const balance = yield* ledger.balance(principal)
  const releases = yield* ledger.releases(principal)
  const told = yield* events.readAfter(feed, "0", all)
  if (
    "kind" in releases ||
    "kind" in charges ||
    "kind" in withdrawals ||
    "kind" in refunds ||
    "kind" in balance
  ) {
    throw new Error("the key is not valid")
  }
  const last = entries.at(-1)?.balance ?? { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }
  const isCalendar =
    releases.reserve === last.reserve && JSON.stringify(releases.days) === JSON.stringify(calendarOf(charges))
  const isFold = JSON.stringify(last) === JSON.stringify(balance)
  return {
    entries,
    charges,
    withdrawals,
    refunds,
    balance,
    eventsOf: (id: string) => told.filter(({ resourceId }) => resourceId === id).map(({ type }) => type),
    faults: [
      ...faultsOf(entries, withdrawals, refunds),
      ...payoutFaultsOf(entries, withdrawals),
      ...(isFold ? [] : ["the balance is not that of the last entry"]),
      ...(isCalendar ? [] : ["the calendar of releases is not that of the charges"]),
      ...(told.every(({ seq }, i) => seq === i + 1) ? [] : ["the feed has a gap"]),
    ],
  }
})
