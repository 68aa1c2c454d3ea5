import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SellerBalance, StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { dayAfter, dayStartMillis } from "../../../actors/values/saoPauloDays.ts"
import type { DayBooks } from "../../../schema/resources/closing.ts"
import { type Bucket, buckets } from "../../../schema/resources/ledger.ts"
import { Closer, closingDueMillis } from "../../../src/closings/closer.ts"
import { makeClosingView } from "../../../src/closings/closingView.ts"
import { ClosingsLive, goTo, type Moved, sellerAt, write } from "../../closings/closingStage.ts"

/** A seller's ledger: `nights` says how many entries there were at the end of each day. */
export interface Days {
  readonly entries: ReadonlyArray<StoredLedgerEntry>
  readonly nights: ReadonlyArray<number>
  readonly balance: SellerBalance
}

type Sums = Readonly<Record<Bucket, number>>

/** The day on which the histories begin. */
const firstDay = "2026-11-01"

/** The same movements, dated by the histories' days: Redis dated all of them today. */
const movesOf = (ledgers: ReadonlyArray<Days>): ReadonlyArray<Moved> =>
  ledgers.flatMap(({ entries, nights }, seller) =>
    entries.map((movement, index): Moved => {
      const day = dayAfter(firstDay, nights.filter((count) => count <= index).length)
      return { seller, mode: "live", atMillis: dayStartMillis(day) + index, movement }
    }),
  )

const plus = (one: Sums, other: Sums): Sums =>
  Object.fromEntries(buckets.map((bucket) => [bucket, one[bucket] + other[bucket]])) as Sums

const nothing = Object.fromEntries(buckets.map((bucket) => [bucket, 0])) as Sums
const isSame = (one: Sums, other: Sums): boolean => buckets.every((bucket) => one[bucket] === other[bucket])

/** What is wrong with some books of a day, given those of the day before. */
const faultsOf = (
  what: string,
  { opening, movements, closing }: DayBooks,
  before: Sums,
): ReadonlyArray<string> => {
  const moved = Object.values(movements).reduce<Sums>(plus, opening)
  const sum = buckets.reduce((total, bucket) => total + closing[bucket], 0)
  return [
    ...(isSame(opening, before) ? [] : [`${what} does not open with the closing of the day before`]),
    ...(isSame(moved, closing) ? [] : [`${what} does not close with its opening and its movements`]),
    ...(sum === 0 ? [] : [`the buckets of ${what} do not sum to zero`]),
  ]
}

const isBalance = (closing: Sums, { available, reserve, pendingWithdraw, pendingRefund }: SellerBalance) =>
  closing.available === available &&
  closing.reserve === reserve &&
  closing.pending_withdraw === pendingWithdraw &&
  closing.pending_refund === pendingRefund

/**
 * Closes the days of some histories, and says what is wrong with their closings: empty where each opening and its movements make the
 * closing, bucket by bucket, the last closing is the balance, and the platform is all sellers together.
 */
export const closingFaults = (ledgers: ReadonlyArray<Days>) =>
  Effect.gen(function* () {
    const lastDay = dayAfter(firstDay, Math.max(...ledgers.map(({ nights }) => nights.length)))
    yield* write(movesOf(ledgers))
    yield* goTo(closingDueMillis(lastDay))
    yield* (yield* Closer).closeDue("one")
    const view = yield* makeClosingView
    const faults: Array<string> = []
    const last = new Map<string, Sums>()
    let platform = nothing
    for (let day = firstDay; day <= lastDay; day = dayAfter(day)) {
      const found = yield* view("live", day, { beforeId: undefined, limit: ledgers.length })
      if (found === undefined) return [`${day} is not closed`]
      const { closing } = found
      faults.push(...faultsOf(`the platform of ${day}`, closing.platform, platform))
      for (const books of closing.sellers) {
        faults.push(...faultsOf(`${books.seller_id} of ${day}`, books, last.get(books.seller_id) ?? nothing))
        last.set(books.seller_id, books.closing)
      }
      platform = closing.platform.closing
      const together = [...last.values()].reduce(plus, nothing)
      if (!isSame(platform, together)) faults.push(`the platform of ${day} is not all sellers together`)
    }
    for (const [seller, { balance }] of ledgers.entries()) {
      const closing = last.get(sellerAt(seller)) ?? nothing
      if (!isBalance(closing, balance)) faults.push(`the last closing of seller ${seller} is not the balance`)
    }
    return faults
  }).pipe(Effect.provide(ClosingsLive()), Effect.provide(TestClock.layer()), Effect.scoped)
