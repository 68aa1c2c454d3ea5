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
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { PartitionCount } from "../ports/partitionCount.ts"
import { RequestDelay } from "../ports/requestDelay.ts"
import { TransactionStore } from "../ports/transactionStore.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { exceptionOfNobody, type FoundException } from "../seller/decisions/exceptionDocument.ts"
import type { ReconcileAnswer } from "../seller/decisions/noticeAnswer.ts"
import { reconcileCharge } from "../seller/operations/reconcileCharge.ts"
import { reconcilePayout } from "../seller/operations/reconcilePayout.ts"
import { makeAccountChanged } from "../seller/programs/accountChanged.ts"
import { boundedCall } from "../seller/programs/boundedCall.ts"
import { SellerActors } from "../seller/sellerActor.ts"
import { requestsFirst } from "../timers/requestsFirst.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import {
  chargeIdOf,
  type Difference,
  differenceOfReceived,
  differenceOfSent,
  withdrawalIdOf,
} from "./differences.ts"
import { collectUnread, type MetUnread } from "./unreadItems.ts"

/** What a sweep has read and done. */
export interface SweepReport {
  /** Items of the acquirer's books. */
  readonly items: number
  /** Items that differed from ours. */
  readonly differences: number
  /** Differences that could not be put right: with one, the sweep is not complete. */
  readonly failures: number
  /** Items that could not be read: with one that no operator has accepted, it is not complete either. */
  readonly unread: MetUnread
}

/** An item of the books with our record of it. */
type Compare<A> = (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Difference>, StoreUnavailable>
type List<A> = (
  window: BooksWindow,
  page: string | undefined,
) => Effect.Effect<BooksPage<A>, AcquirerUnavailable>

/** Makes the functions that compare items with our records, read in one pipeline. */
const makeComparisons = Effect.fnUntraced(function* (account: string) {
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore

  const compare =
    <A, Stored extends { readonly id: string }>(
      idOf: (item: A) => string | undefined,
      loadMany: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Stored>, StoreUnavailable>,
      differenceOf: (item: A, stored: Stored | undefined, account: string) => Difference | undefined,
    ): Compare<A> =>
    (items) => {
      const ids = new Set(items.flatMap((item) => idOf(item) ?? []))
      return Effect.map(loadMany([...ids]), (found) => {
        const byId = new Map(found.map((stored) => [stored.id, stored]))
        return items.flatMap((item) => differenceOf(item, byId.get(idOf(item) ?? ""), account) ?? [])
      })
    }

  return {
    received: compare<ReceivedPix, Parameters<typeof differenceOfReceived>[1] & {}>(
      chargeIdOf,
      transactions.loadMany,
      differenceOfReceived,
    ),
    sent: compare<SentPayout, Parameters<typeof differenceOfSent>[1] & {}>(
      withdrawalIdOf,
      withdrawals.loadMany,
      differenceOfSent,
    ),
  }
})

/** Makes the program that records, once, what is none of ours. */
const makeOpenUnknown = Effect.fnUntraced(function* ({ slug, account }: Acquirer) {
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount

  return Effect.fnUntraced(function* (found: Omit<FoundException, "acquirer">) {
    const nowMillis = yield* Clock.currentTimeMillis
    const exception = exceptionOfNobody({ ...found, acquirer: slug }, account, partitions, nowMillis)
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "exists") return
    const sum = `${found.amount} centavos`
    yield* Effect.logError(`the acquirer's books have ${sum} that ours have not: ${id}, ${exception.fact}`)
  })
})

/**
 * Makes the program that reads a window of the acquirer's books, compares every item with ours, and puts right what differs: the
 * charge or payout is asked about and what the acquirer confirms is applied, as after a notice; what is none of ours, or does not fit,
 * becomes an exception (docs/partner.md#sweeps). A sweep that is repeated changes nothing more. Fails where a page cannot be read.
 */
export const makeSweep = Effect.fnUntraced(function* (acquirer: Acquirer, books: AcquirerBooks) {
  const sellers = yield* SellerActors
  const requests = yield* RequestDelay
  const accountChanged = yield* makeAccountChanged
  const openUnknown = yield* makeOpenUnknown(acquirer)
  const comparisons = yield* makeComparisons(acquirer.account)

  const isSettled = (what: string, answer: ReconcileAnswer): Effect.Effect<boolean> => {
    switch (answer.kind) {
      case "settled":
        return Effect.as(
          Effect.logWarning(`the acquirer's books differed from ours: ${what} is put right`),
          true,
        )
      case "pending":
        // What the acquirer itself does not confirm is no fact yet; the next sweep finds it again.
        return Effect.as(
          Effect.logWarning(`the acquirer's books have more of ${what} than it confirms`),
          true,
        )
      default: {
        const reason = answer.kind === "missing" ? "it is gone" : answer.reason
        return Effect.as(Effect.logWarning(`${what} differs from the acquirer's books: ${reason}`), false)
      }
    }
  }

  /** Whether what there is to do about a difference is done. */
  const putRight = (difference: Difference): Effect.Effect<boolean, StoreUnavailable> => {
    switch (difference.kind) {
      case "unknown":
        return Effect.as(openUnknown(difference.found), true)
      case "otherAccount":
        return Effect.as(accountChanged(difference.resourceId), true)
      case "charge": {
        const { transactionId, noticed } = difference
        return Effect.flatMap(sellers.ask(reconcileCharge, { transactionId, noticed }), (answer) =>
          isSettled(transactionId, answer),
        )
      }
      case "payout": {
        const { withdrawalId } = difference
        return Effect.flatMap(sellers.ask(reconcilePayout, { withdrawalId }), (answer) =>
          isSettled(withdrawalId, answer),
        )
      }
    }
  }

  const sweepList = Effect.fnUntraced(function* <A>(
    operation: string,
    list: List<A>,
    compare: Compare<A>,
    window: BooksWindow,
    onPage: (page: string | undefined, read: BooksPage<A>) => void,
  ) {
    const report = { items: 0, differences: 0, failures: 0 }
    let next: string | undefined
    do {
      const page: BooksPage<A> = yield* boundedCall(operation, list(window, next))
      report.items += page.items.length
      onPage(next, page)
      for (const items of Arr.chunksOf(page.items, limits.sweepReadAtOnce)) {
        yield* requestsFirst(requests)
        const differences = yield* compare(items)
        const done = yield* Effect.forEach(differences, putRight, { concurrency: limits.sweepActsAtOnce })
        report.differences += differences.length
        report.failures += done.filter((isDone) => !isDone).length
      }
      next = page.next
    } while (next !== undefined)
    return report
  })

  return (window: BooksWindow): Effect.Effect<SweepReport, AcquirerUnavailable | StoreUnavailable> =>
    Effect.gen(function* () {
      const unread = collectUnread(window)
      const received = yield* sweepList(
        "list received Pix",
        books.listReceived,
        comparisons.received,
        window,
        (page, read) => unread.add("received", page, read),
      )
      const sent = yield* sweepList(
        "list sent payouts",
        books.listSent,
        comparisons.sent,
        window,
        (page, read) => unread.add("sent", page, read),
      )
      return {
        items: received.items + sent.items,
        differences: received.differences + sent.differences,
        failures: received.failures + sent.failures,
        unread: unread.met(),
      }
    })
})
