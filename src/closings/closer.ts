/**
 * How a day is closed (docs/contract/closings.md):
 * 1. One process holds the lease, renewed between all steps. Every write carries it: a process that lost it writes nothing more.
 * 2. Of each partition, each seller's movements of the day are summed from its ledger and written, then the partition's.
 * 3. The sums of all partitions are compared, in live, with the acquirer's books and balance.
 * 4. The day is written whole. From then on it never changes.
 *
 * If the process dies before 4, the next holder repeats the day: what 2 wrote stays, being the same again, and partitions that are done
 * are skipped.
 */

import { Context, Effect, Layer, Schema } from "effect"
import { type AcquirerBooks, Acquirers, type AcquirerUnavailable } from "../../actors/ports/acquirer.ts"
import {
  type ClosingLease,
  ClosingStore,
  type ClosingWrite,
  type DayMovements,
} from "../../actors/ports/closingStore.ts"
import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import {
  isEmpty,
  type Movements,
  noAmounts,
  plusAmounts,
  plusEntry,
  plusMovements,
  totalOf,
} from "../../actors/values/closing.ts"
import { dayAfter, dayEndMillis, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { type Feed, type Mode, modes } from "../../schema/ids.ts"
import { makeLedgers, type Stretch } from "./ledgers.ts"
import { makeComparePartnerBalance } from "./partnerBalance.ts"
import { comparePartner } from "./partnerBooks.ts"

/** Another process closes days now: what remains is its work. */
class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** When a day is due to be closed, in ms (docs/contract/closings.md#when). */
export const closingDueMillis = (day: string): number => dayEndMillis(day) + 1 + closingLimits.delayMillis

const stretchOf = (day: string): Stretch => ({
  fromMillis: dayStartMillis(day),
  toMillis: dayEndMillis(day),
})

/** Ends the work of a process whose successor has begun. */
const orLost = <E>(write: Effect.Effect<ClosingWrite, E>): Effect.Effect<void, E | LeaseLost> =>
  Effect.flatMap(write, ({ kind }) => (kind === "stale" ? Effect.fail(new LeaseLost()) : Effect.void))

const makeCloser = Effect.gen(function* () {
  const store = yield* ClosingStore
  const ledgers = yield* makeLedgers
  const compareBalance = yield* makeComparePartnerBalance
  const acquirers = yield* Acquirers

  const claim = (holder: string): Effect.Effect<ClosingLease, StoreUnavailable | LeaseLost> =>
    Effect.flatMap(store.claim(holder, closingLimits.leaseMillis), (lease) =>
      lease === undefined ? Effect.fail(new LeaseLost()) : Effect.succeed(lease),
    )

  const movementsOf = Effect.fnUntraced(function* (
    feed: Feed,
    stretch: Stretch,
    renew: Effect.Effect<void, StoreUnavailable | LeaseLost>,
  ) {
    let movements: Movements = {}
    const visit = (entry: StoredLedgerEntry) => {
      movements = plusEntry(movements, entry)
    }
    // One seller's day may take longer than a lease lasts.
    yield* ledgers.eachEntry(feed, stretch, visit, renew)
    return movements
  })

  const closeSeller = Effect.fnUntraced(function* (
    lease: () => ClosingLease,
    feed: Feed,
    day: string,
    stretch: Stretch,
    renew: Effect.Effect<void, StoreUnavailable | LeaseLost>,
  ) {
    const movements = yield* movementsOf(feed, stretch, renew)
    if (isEmpty(movements)) return movements
    const before = yield* store.ofSeller(feed, dayAfter(day, -1))
    const closing = plusAmounts(before?.closing ?? noAmounts, totalOf(movements))
    yield* orLost(store.closeSeller(lease(), feed, { day, movements, closing }))
    return movements
  })

  const closePart = Effect.fnUntraced(function* (holder: string, partition: number, mode: Mode, day: string) {
    let lease = yield* claim(holder)
    if (((yield* store.lastOfPart(partition, mode)) ?? "") >= day) return
    let movements: Movements = {}
    // Once for all sellers: a time zone is slow to ask.
    const stretch = stretchOf(day)
    const renew = Effect.map(claim(holder), (renewed) => {
      lease = renewed
    })
    const closeOne = (sellerId: string) =>
      Effect.map(
        closeSeller(() => lease, { sellerId, mode }, day, stretch, renew),
        (moved) => {
          movements = plusMovements(movements, moved)
        },
      )
    yield* ledgers.eachSeller<StoreUnavailable | LeaseLost>(partition, closeOne, renew)
    const before = yield* store.ofPart(partition, mode, dayAfter(day, -1))
    const closing = plusAmounts(before?.closing ?? noAmounts, totalOf(movements))
    yield* orLost(store.closePart(lease, partition, mode, { day, movements, closing }))
  })

  /** The sums of all partitions; one on which nothing moved that day stands as it was. */
  const sumOfParts = Effect.fnUntraced(function* (mode: Mode, day: string) {
    let [movements, closing]: [Movements, typeof noAmounts] = [{}, noAmounts]
    for (let partition = 0; partition < ledgers.partitions; partition++) {
      const part = yield* store.ofPart(partition, mode, day)
      if (part === undefined) continue
      closing = plusAmounts(closing, part.closing)
      if (part.day === day) movements = plusMovements(movements, part.movements)
    }
    return { movements, closing }
  })

  const compare = Effect.fnUntraced(function* (
    holder: string,
    mode: Mode,
    day: string,
    { movements, closing }: Pick<DayMovements, "movements" | "closing">,
  ) {
    const { books } = acquirers[mode]
    if (mode !== "live" || books === undefined) return undefined
    const renew = Effect.asVoid(claim(holder))
    const { listReceived, listReturned, listSent } = books
    const yielding: AcquirerBooks = {
      listReceived: (window, page) => Effect.andThen(ledgers.afterRequests, listReceived(window, page)),
      listReturned:
        listReturned && ((window, page) => Effect.andThen(ledgers.afterRequests, listReturned(window, page))),
      listSent: listSent && ((window, page) => Effect.andThen(ledgers.afterRequests, listSent(window, page))),
    }
    const eachEntry = (stretch: Stretch, visit: (entry: StoredLedgerEntry) => void) =>
      ledgers.everySeller<StoreUnavailable | LeaseLost>(
        (sellerId) => ledgers.eachEntry({ sellerId, mode }, stretch, visit, renew),
        renew,
      )
    const partner = yield* comparePartner(yielding, stretchOf(day), { movements, eachEntry })
    const isLate = (yield* claim(holder)).nowMillis >= closingDueMillis(dayAfter(day))
    if (isLate) return { ...partner, balance: null, balanceDifference: null }
    const ledgerThere = Effect.gen(function* () {
      let outside = closing.external
      const sinceClosed = { fromMillis: dayEndMillis(day) + 1, toMillis: (yield* claim(holder)).nowMillis }
      yield* eachEntry(sinceClosed, ({ postings }) => {
        for (const { bucket, amount } of postings) if (bucket === "external") outside += amount
      })
      return -outside
    })
    return { ...partner, ...(yield* compareBalance(acquirers.live, ledgerThere)) }
  })

  const closeDay = Effect.fnUntraced(function* (holder: string, mode: Mode, day: string) {
    for (let partition = 0; partition < ledgers.partitions; partition++) {
      yield* closePart(holder, partition, mode, day)
    }
    const sums = yield* sumOfParts(mode, day)
    const partner = yield* compare(holder, mode, day, sums)
    const lease = yield* claim(holder)
    yield* orLost(store.closeWhole(lease, mode, { day, ...sums, partner }))
    if (partner !== undefined && partner.difference !== 0) {
      yield* Effect.logError(`The closing of ${day} differs from the acquirer's books`, partner.difference)
    }
  })

  /** The first day that is not closed; undefined while there is nothing to close. */
  const nextDay = Effect.fnUntraced(function* (holder: string, mode: Mode) {
    const [last] = yield* store.list(mode, undefined, 1)
    if (last !== undefined) return dayAfter(last.day)
    const first = yield* ledgers.firstMillis(mode, Effect.asVoid(claim(holder)))
    return first === undefined ? undefined : dayOf(first)
  })

  const closeMode = Effect.fnUntraced(function* (holder: string, mode: Mode) {
    let day = yield* nextDay(holder, mode)
    let closed = 0
    for (; day !== undefined; day = dayAfter(day)) {
      if (closingDueMillis(day) > (yield* claim(holder)).nowMillis) return closed
      yield* closeDay(holder, mode, day)
      closed++
    }
    return closed
  })

  return Closer.of({
    closeDue: (holder) =>
      Effect.gen(function* () {
        yield* claim(holder)
        let closed = 0
        // Live last: it waits for the acquirer, which does not concern test mode.
        for (const mode of modes.toReversed()) closed += yield* closeMode(holder, mode)
        return closed
      }).pipe(Effect.catchTag("LeaseLost", () => Effect.succeed(undefined))),
  })
})

/** Closes days (docs/contract/closings.md). */
export class Closer extends Context.Service<
  Closer,
  {
    /**
     * Closes all days that are due, in order, for both modes; answers how many, or undefined where another process closes
     * them. May be repeated after any failure.
     */
    readonly closeDue: (
      holder: string,
    ) => Effect.Effect<number | undefined, StoreUnavailable | AcquirerUnavailable>
  }
>()("corrente/closings/Closer") {}

export const CloserLive = Layer.effect(Closer, makeCloser)
