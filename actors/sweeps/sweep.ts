/**
 * How the acquirer's books are compared with ours (docs/partner.md#sweeps):
 * 1. Pages of received Pix and sent payouts are read; what cannot be read is collected with its place in the list.
 * 2. Each item is looked up among our charges, withdrawals and refunds.
 * 3. An item that differs is settled: the acquirer is asked about it, and what it confirms is applied by the seller's actor, as after a
 *    notice. What is none of ours becomes an exception.
 * 4. What only the list says is remembered, and becomes an exception when nothing else confirms it for long.
 *
 * If the process dies anywhere, the sweep is repeated from its beginning: 3 recognises what was applied. The books stay uncompared until
 * a sweep is complete, and with them the freeze.
 */

import { Array as Arr, Clock, Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type {
  Acquirer,
  AcquirerBooks,
  AcquirerUnavailable,
  BooksPage,
  BooksWindow,
  ListBooks,
  ReceivedPix,
  SentPayout,
} from "../ports/acquirer.ts"
import { RequestDelay } from "../ports/requestDelay.ts"
import { SweepStore, type UnreadItem } from "../ports/sweepStore.ts"
import { boundedCall } from "../seller/programs/acquirerCalls.ts"
import { requestsFirst } from "../timers/requestsFirst.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { type Compare, makeComparisons } from "./comparisons.ts"
import { makeFollowUnconfirmed } from "./followUnconfirmed.ts"
import { makeSettleDifference, type Outcome } from "./settleDifference.ts"
import type { SweepPlan } from "./sweepPlan.ts"

/** What a sweep met and could not read (docs/partner.md#unreadable-items). */
interface MetUnread {
  /** Each digest once. */
  readonly items: ReadonlyArray<UnreadItem>
  /** How many it met besides. */
  readonly more: number
}

/** Collects what a sweep cannot read, page by page. */
const collectUnread = () => {
  const byDigest = new Map<string, UnreadItem>()
  let more = 0
  return {
    add: (
      list: UnreadItem["list"],
      window: BooksWindow,
      page: string | undefined,
      { unreadable = [], unreadableCount = 0 }: BooksPage<unknown>,
    ): void => {
      more += unreadableCount - unreadable.length
      for (const item of unreadable) {
        // Lists may repeat items.
        if (byDigest.has(item.digest)) continue
        if (byDigest.size < limits.sweepUnreadableReadMax)
          byDigest.set(item.digest, { ...item, list, window, page })
        else more += 1
      }
    },
    met: (): MetUnread => ({ items: [...byDigest.values()], more }),
  }
}

/** What a sweep has read and done. */
export interface SweepReport {
  /** Items of the acquirer's books. */
  readonly items: number
  /** Items that differed from ours. */
  readonly differences: number
  /** Differences that could not be put right, or payouts that only the list has yet: with one, the sweep is not complete. */
  readonly failures: number
  /** Items that could not be read: with one that no operator has accepted, it is not complete either. */
  readonly unread: MetUnread
}

/** The stretch of the books that a sweep reads. */
export type SweptStretch = Pick<SweepPlan, "window"> & Partial<Pick<SweepPlan, "returnsFromMillis">>

/** A list to read, and what its items are compared by. */
interface Reading<A> {
  readonly operation: string
  readonly list: ListBooks<A>
  readonly window: BooksWindow
  readonly compare: Compare<A>
  readonly unreadIn: "received" | "sent"
}

/** What a sweep reads of received Pix: of older ones only the returned, where the acquirer lists those by themselves. */
const readingsOfReceived = (
  { listReceived, listReturned }: AcquirerBooks,
  compare: Compare<ReceivedPix>,
  { window, returnsFromMillis }: SweptStretch,
): ReadonlyArray<Reading<ReceivedPix>> => {
  const { fromMillis, toMillis } = window
  const all = {
    operation: "list received Pix",
    list: listReceived,
    window,
    compare,
    unreadIn: "received" as const,
  }
  if (returnsFromMillis === undefined || returnsFromMillis >= fromMillis) return [all]
  if (listReturned === undefined) return [{ ...all, window: { fromMillis: returnsFromMillis, toMillis } }]
  const older = { fromMillis: returnsFromMillis, toMillis: fromMillis }
  return [all, { ...all, operation: "list returned Pix", list: listReturned, window: older }]
}

/** What a sweep reads of sent payouts: nothing where the acquirer lists none. */
const readingsOfSent = (
  { listSent }: AcquirerBooks,
  compare: Compare<SentPayout>,
  { window }: SweptStretch,
): ReadonlyArray<Reading<SentPayout>> => {
  if (listSent === undefined) return []
  return [{ operation: "list sent payouts", list: listSent, window, compare, unreadIn: "sent" }]
}

/**
 * Makes the program that reads a window of the acquirer's books, compares every item with ours, and puts right what differs: the
 * charge or payout is asked about and what the acquirer confirms is applied, as after a notice; what is none of ours, or does not fit,
 * becomes an exception, and so does what only the list says for long (docs/partner.md#sweeps). A sweep that is repeated changes nothing
 * more. Fails where a page cannot be read.
 */
export const makeSweep = Effect.fnUntraced(function* (acquirer: Acquirer, books: AcquirerBooks) {
  const requests = yield* RequestDelay
  const store = yield* SweepStore
  const comparisons = yield* makeComparisons(acquirer.account)
  const { settle, askAbout } = yield* makeSettleDifference(acquirer)
  const followUnconfirmed = yield* makeFollowUnconfirmed(acquirer, askAbout)

  const read = Effect.fnUntraced(function* <A>(
    { operation, list, window, compare, unreadIn }: Reading<A>,
    met: {
      readonly unread: ReturnType<typeof collectUnread>
      readonly subjects: Set<string>
      readonly outcomes: Array<Outcome>
    },
  ) {
    const report = { items: 0, differences: 0 }
    let next: string | undefined
    do {
      const page: BooksPage<A> = yield* boundedCall(operation, list(window, next))
      report.items += page.items.length
      met.unread.add(unreadIn, window, next, page)
      for (const items of Arr.chunksOf(page.items, limits.sweepReadAtOnce)) {
        yield* requestsFirst(requests)
        const { subjects, differences } = yield* compare(items)
        for (const subject of subjects) met.subjects.add(subject)
        met.outcomes.push(
          ...(yield* Effect.forEach(differences, settle, { concurrency: limits.sweepActsAtOnce })),
        )
        report.differences += differences.length
      }
      next = page.next
    } while (next !== undefined)
    return report
  })

  return (stretch: SweptStretch): Effect.Effect<SweepReport, AcquirerUnavailable | StoreUnavailable> =>
    Effect.gen(function* () {
      const met = { unread: collectUnread(), subjects: new Set<string>(), outcomes: [] as Outcome[] }
      const before = yield* store.unconfirmed(acquirer.account)
      const received = yield* Effect.forEach(
        readingsOfReceived(books, comparisons.received, stretch),
        (reading) => read(reading, met),
      )
      const sent = yield* Effect.forEach(readingsOfSent(books, comparisons.sent, stretch), (reading) =>
        read(reading, met),
      )
      const waiting = yield* followUnconfirmed(before, met, yield* Clock.currentTimeMillis)
      const failed = met.outcomes.filter(({ kind }) => kind === "failed").length
      const reports = [...received, ...sent]
      return {
        items: reports.reduce((sum, { items }) => sum + items, 0),
        differences: reports.reduce((sum, { differences }) => sum + differences, 0),
        failures: failed + waiting,
        unread: met.unread.met(),
      }
    })
})
