import { Array as Arr, Clock, Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type {
  Acquirer,
  AcquirerBooks,
  AcquirerUnavailable,
  BooksPage,
  BooksWindow,
  ReceivedPix,
  SentPayout,
} from "../ports/acquirer.ts"
import { RequestDelay } from "../ports/requestDelay.ts"
import { SweepStore } from "../ports/sweepStore.ts"
import { boundedCall } from "../seller/programs/boundedCall.ts"
import { requestsFirst } from "../timers/requestsFirst.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { type Compare, makeComparisons } from "./comparisons.ts"
import { makeFollowUnconfirmed } from "./followUnconfirmed.ts"
import { makeSettleDifference, type Outcome } from "./settleDifference.ts"
import { collectUnread, type MetUnread } from "./unreadItems.ts"

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

type List<A> = (
  window: BooksWindow,
  page: string | undefined,
) => Effect.Effect<BooksPage<A>, AcquirerUnavailable>

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

  const sweepList = Effect.fnUntraced(function* <A>(
    operation: string,
    list: List<A>,
    compare: Compare<A>,
    window: BooksWindow,
    met: {
      readonly page: (page: string | undefined, read: BooksPage<A>) => void
      readonly subjects: Set<string>
      readonly outcomes: Array<Outcome>
    },
  ) {
    const report = { items: 0, differences: 0 }
    let next: string | undefined
    do {
      const page: BooksPage<A> = yield* boundedCall(operation, list(window, next))
      report.items += page.items.length
      met.page(next, page)
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

  return (window: BooksWindow): Effect.Effect<SweepReport, AcquirerUnavailable | StoreUnavailable> =>
    Effect.gen(function* () {
      const unread = collectUnread(window)
      const met = { subjects: new Set<string>(), outcomes: [] as Outcome[] }
      const before = yield* store.unconfirmed(acquirer.account)
      const received = yield* sweepList<ReceivedPix>(
        "list received Pix",
        books.listReceived,
        comparisons.received,
        window,
        { ...met, page: (page, read) => unread.add("received", page, read) },
      )
      const sent = yield* sweepList<SentPayout>(
        "list sent payouts",
        books.listSent,
        comparisons.sent,
        window,
        {
          ...met,
          page: (page, read) => unread.add("sent", page, read),
        },
      )
      const waiting = yield* followUnconfirmed(before, met, yield* Clock.currentTimeMillis)
      const failed = met.outcomes.filter(({ kind }) => kind === "failed").length
      return {
        items: received.items + sent.items,
        differences: received.differences + sent.differences,
        failures: failed + waiting,
        unread: unread.met(),
      }
    })
})
