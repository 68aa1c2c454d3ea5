import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import type { Acquirer } from "../ports/acquirer.ts"
import { SweepStore, type UnconfirmedItem } from "../ports/sweepStore.ts"
import { askedAgain, isForOperators } from "../seller/decisions/unconfirmedItems.ts"
import { keyOfItem, type ListedItem, subjectOf } from "../values/listedItem.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { Outcome } from "./settleDifference.ts"
import { makeUnconfirmedExceptions } from "./unconfirmed.ts"

/** What a sweep has met: what its items were about, and what became of those that differed. */
export interface Met {
  readonly subjects: ReadonlySet<string>
  readonly outcomes: Array<Outcome>
}

/**
 * Makes the program that ends a sweep: what no query confirms is remembered with since when, asked about at each sweep even where the
 * window no longer reaches it, and becomes an exception in the end; what is confirmed is forgotten, and its exception resolved
 * (docs/partner.md#unconfirmed-items). Answers how many payouts wait for that, and how many items were too many to remember.
 */
export const makeFollowUnconfirmed = Effect.fnUntraced(function* (
  acquirer: Acquirer,
  askAbout: (item: ListedItem) => Effect.Effect<Outcome, StoreUnavailable>,
) {
  const store = yield* SweepStore
  const exceptions = yield* makeUnconfirmedExceptions(acquirer)

  return (before: ReadonlyArray<UnconfirmedItem>, met: Met, nowMillis: number) =>
    Effect.gen(function* () {
      // An item whose subject the lists have shown has been asked about, or does not differ any more.
      const unread = before.filter(({ item }) => !met.subjects.has(subjectOf(item)))
      met.outcomes.push(
        ...(yield* Effect.forEach(unread, ({ item }) => askAbout(item), {
          concurrency: limits.sweepActsAtOnce,
        })),
      )
      const known = new Map(before.map((entry) => [keyOfItem(entry.item), entry]))
      const found = new Map(
        met.outcomes.flatMap((outcome) =>
          outcome.kind === "unconfirmed" ? [[keyOfItem(outcome.item), outcome] as const] : [],
        ),
      )
      // Nothing is known of what could not be asked about: it stays as it was.
      const unasked = new Set(
        met.outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [keyOfItem(outcome.item)] : [])),
      )
      const now = [...found].map(([key, { item, queryStatus }]) => ({
        entry: askedAgain(item, known.get(key), nowMillis),
        queryStatus,
      }))
      const kept = now
        .toSorted((one, other) => one.entry.sinceMillis - other.entry.sinceMillis)
        .slice(0, limits.sweepUnconfirmedMax)
      const left = before.filter(({ item }) => !found.has(keyOfItem(item)))
      const [stays, ends] = [
        left.filter(({ item }) => unasked.has(keyOfItem(item))),
        left.filter(({ item }) => !unasked.has(keyOfItem(item))),
      ]
      // Resolved before it is forgotten: where this process dies in between, the next sweep has it still.
      for (const entry of ends) yield* exceptions.close(entry)
      const waiting: Array<UnconfirmedItem> = []
      const told: Array<UnconfirmedItem> = []
      for (const { entry, queryStatus } of kept) {
        if (!isForOperators(entry, nowMillis)) waiting.push(entry)
        // What differs after a booking is another difference, of an exception of its own.
        else if (yield* exceptions.open(entry, queryStatus)) {
          waiting.push(askedAgain(entry.item, undefined, nowMillis))
        } else told.push(entry)
      }
      yield* store.keepUnconfirmed(
        acquirer.account,
        [...stays, ...told, ...waiting].slice(0, limits.sweepUnconfirmedMax),
        before,
      )
      return waiting.filter(({ item }) => item.kind === "payout").length + now.length - kept.length
    })
})
