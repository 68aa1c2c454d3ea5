import { Effect } from "effect"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { Ledger, type StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { PartitionCount } from "../../actors/ports/partitionCount.ts"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { requestsFirst } from "../../actors/timers/requestsFirst.ts"
import { sessionPrincipal } from "../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import type { Feed, Mode } from "../../schema/ids.ts"

/** A stretch of time in ms, both ends included. */
export interface Stretch {
  readonly fromMillis: number
  readonly toMillis: number
}

/** Reads of all sellers' ledgers, page by page. Each page yields to requests: a day of a busy platform has thousands. */
export const makeLedgers = Effect.gen(function* () {
  const ledger = yield* Ledger
  const store = yield* ClosingStore
  const { partitions } = yield* PartitionCount
  const afterRequests = requestsFirst(yield* RequestDelay)

  /** A page of a seller's stretch. A closing stands for the service itself, which needs no key. */
  const readPage = (
    { sellerId, mode }: Feed,
    stretch: Stretch,
    afterEntryId: string | undefined,
    max: number,
  ) =>
    Effect.andThen(
      afterRequests,
      Effect.map(
        ledger.readSpan(sessionPrincipal(sellerId, mode, "closing"), {
          ...stretch,
          afterEntryId,
          entriesMax: max,
        }),
        (page) => ("kind" in page ? [] : page),
      ),
    )

  /** Shows the entries of a seller's stretch, oldest first, and runs a program between two pages. */
  const eachEntry = Effect.fnUntraced(function* <E>(
    feed: Feed,
    stretch: Stretch,
    visit: (entry: StoredLedgerEntry) => void,
    betweenPages: Effect.Effect<void, E>,
  ) {
    let after: string | undefined
    for (;;) {
      const page = yield* readPage(feed, stretch, after, closingLimits.pageEntries)
      for (const entry of page) visit(entry)
      if (page.length < closingLimits.pageEntries) return
      after = page.at(-1)?.entryId
      yield* betweenPages
    }
  })

  /** Runs a program for each seller of a partition, and another after each page of sellers. */
  const eachSeller = Effect.fnUntraced(function* <E>(
    partition: number,
    run: (sellerId: string) => Effect.Effect<void, E>,
    afterPage: Effect.Effect<void, E>,
  ) {
    let after = ""
    for (;;) {
      const ids = yield* Effect.andThen(
        afterRequests,
        store.sellers(partition, after, closingLimits.sellersPerPage),
      )
      for (const id of ids) yield* run(id)
      yield* afterPage
      if (ids.length < closingLimits.sellersPerPage) return
      after = ids.at(-1) ?? ""
    }
  })

  /** Runs a program for each seller of the platform. */
  const everySeller = Effect.fnUntraced(function* <E>(
    run: (sellerId: string) => Effect.Effect<void, E>,
    afterPage: Effect.Effect<void, E>,
  ) {
    for (let partition = 0; partition < partitions; partition++) yield* eachSeller(partition, run, afterPage)
  })

  /** When the first entry of a mode was written, in ms; undefined before there is one. */
  const firstMillis = Effect.fnUntraced(function* <E>(mode: Mode, afterPage: Effect.Effect<void, E>) {
    let first: number | undefined
    const always = { fromMillis: 0, toMillis: Number.MAX_SAFE_INTEGER }
    const look = (sellerId: string): Effect.Effect<void, StoreUnavailable> =>
      Effect.map(readPage({ sellerId, mode }, always, undefined, 1), ([entry]) => {
        if (entry !== undefined) first = Math.min(first ?? Number.POSITIVE_INFINITY, millisOf(entry))
      })
    yield* everySeller<E | StoreUnavailable>(look, afterPage)
    return first
  })

  return { partitions, afterRequests, eachEntry, eachSeller, everySeller, firstMillis }
})

/** Every read of {@link makeLedgers}. */
export type Ledgers = Effect.Success<typeof makeLedgers>

/** When an entry was written, by Redis' clock, in ms. */
export const millisOf = ({ entryId }: StoredLedgerEntry): number =>
  Number(entryId.slice(0, entryId.indexOf("-")))
