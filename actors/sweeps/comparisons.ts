import { Effect } from "effect"
import type { ReceivedPix, SentPayout } from "../ports/acquirer.ts"
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { PixClaimStore } from "../ports/pixClaimStore.ts"
import { TransactionStore } from "../ports/transactionStore.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { readException } from "../seller/decisions/exceptionDocument.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import {
  chargeIdOf,
  type Difference,
  differenceOfReceived,
  differenceOfSent,
  isPaidBy,
  withdrawalIdOf,
} from "./differences.ts"

/** Items of the books beside our records of them. */
export interface Comparison {
  /** What of ours the items are about: `subjectOf` of what a difference would be. */
  readonly subjects: ReadonlyArray<string>
  readonly differences: ReadonlyArray<Difference>
}

export type Compare<A> = (items: ReadonlyArray<A>) => Effect.Effect<Comparison, StoreUnavailable>

const byId = <Stored extends { readonly id: string }>(stored: ReadonlyArray<Stored>) =>
  new Map(stored.map((one) => [one.id, one]))

/** Makes the functions that compare items of an account's books with our records, read in one pipeline. */
export const makeComparisons = Effect.fnUntraced(function* (account: string) {
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore

  /** The charge that has a Pix, or whose exception has it. */
  const chargeOfHolder = Effect.fnUntraced(function* (holder: string | undefined) {
    if (holder?.startsWith("exc_") !== true) return holder
    const exception = yield* exceptions.load(holder)
    return (exception && readException(exception).resource_id) ?? undefined
  })

  /** The charges that have the Pix which name none. */
  const holdersOf = Effect.fnUntraced(function* (items: ReadonlyArray<ReceivedPix>) {
    const nameless = items
      .filter((item) => chargeIdOf(item) === undefined)
      .map(({ endToEndId }) => endToEndId)
    const holders = yield* Effect.forEach(yield* claims.findAll(account, nameless), chargeOfHolder)
    return new Map(nameless.flatMap((id, i) => (holders[i]?.startsWith("txn_") ? [[id, holders[i]]] : [])))
  })

  const received: Compare<ReceivedPix> = Effect.fnUntraced(function* (items) {
    const holders = yield* holdersOf(items)
    const idOf = (item: ReceivedPix) => chargeIdOf(item) ?? holders.get(item.endToEndId)
    const found = byId(yield* transactions.loadMany([...new Set(items.flatMap((item) => idOf(item) ?? []))]))
    return {
      subjects: items.flatMap((item) => {
        const about = `${idOf(item)}:${item.endToEndId}`
        return [`${about}:`, ...item.refunds.map(({ id }) => `${about}:${id}`)]
      }),
      differences: items.flatMap(
        (item) => differenceOfReceived(item, found.get(idOf(item) ?? ""), account) ?? [],
      ),
    }
  })

  /** The withdrawals that operators settled by a Pix which does not name them: they paid it in the bank's own application. */
  const settledBy = Effect.fnUntraced(function* (items: ReadonlyArray<SentPayout>) {
    const nameless = items.flatMap((item) =>
      withdrawalIdOf(item) === undefined && item.endToEndId !== undefined ? [item.endToEndId] : [],
    )
    const holders = yield* claims.findAll(account, nameless)
    return new Map(nameless.flatMap((id, i) => (holders[i]?.startsWith("wd_") ? [[id, holders[i]]] : [])))
  })

  const sent: Compare<SentPayout> = Effect.fnUntraced(function* (items) {
    const settled = yield* settledBy(items)
    const idOf = (item: SentPayout) => withdrawalIdOf(item) ?? settled.get(item.endToEndId ?? "")
    const ids = [...new Set(items.flatMap((item) => idOf(item) ?? []))]
    const found = byId(yield* withdrawals.loadMany(ids))
    const storedOf = (item: SentPayout) => {
      const stored = found.get(idOf(item) ?? "")
      return stored !== undefined && isPaidBy(item, stored) ? stored : undefined
    }
    return {
      subjects: ids,
      differences: items.flatMap((item) => differenceOfSent(item, storedOf(item), account) ?? []),
    }
  })

  return { received, sent }
})
