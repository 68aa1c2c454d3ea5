import { Effect } from "effect"
import type { ReceivedPix, SentPayout } from "../ports/acquirer.ts"
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { PixClaimStore } from "../ports/pixClaimStore.ts"
import { type StoredTransaction, TransactionStore } from "../ports/transactionStore.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { readException } from "../seller/decisions/exceptionDocument.ts"
import { readCharge } from "../seller/decisions/transactionTransitions.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import {
  chargeIdOf,
  type Difference,
  differenceOfSent,
  differencesOfReceived,
  isPaidBy,
  withdrawalIdOf,
} from "./differences.ts"

/** Items of the books beside our records of them. */
export interface Comparison {
  /** Our resources that the items name, as `subjectOf` names them. */
  readonly subjects: ReadonlyArray<string>
  readonly differences: ReadonlyArray<Difference>
}

/** Who has claimed a Pix: a charge, or an exception, which need not be of one; undefined where nobody has it. */
type Holder =
  | { readonly kind: "charge"; readonly id: string }
  | { readonly kind: "exception"; readonly id: string | undefined }
  | undefined

export type Compare<A> = (items: ReadonlyArray<A>) => Effect.Effect<Comparison, StoreUnavailable>

const byId = <Stored extends { readonly id: string }>(stored: ReadonlyArray<Stored>) =>
  new Map(stored.map((one) => [one.id, one]))

/** Makes the functions that compare items of an account's books with our records, read in one pipeline. */
export const makeComparisons = Effect.fnUntraced(function* (account: string) {
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore

  const holderOf = Effect.fnUntraced(function* (holder: string | undefined) {
    if (holder?.startsWith("txn_")) return { kind: "charge", id: holder } as const
    const exception = holder?.startsWith("exc_") ? yield* exceptions.load(holder) : undefined
    if (exception === undefined) return undefined
    const { state, act, resource_id: id } = readException(exception)
    return state === "open" || act === "credit"
      ? ({ kind: "exception", id: id ?? undefined } as const)
      : undefined
  })

  /** Reads who holds the Pix of items that name no charge, neither of the payment nor of its returns. */
  const holdersOf = Effect.fnUntraced(function* (items: ReadonlyArray<ReceivedPix>) {
    const asked = items
      .filter((item) => chargeIdOf(item) === undefined || item.refunds.length > 0)
      .map(({ endToEndId }) => endToEndId)
    const holders = yield* Effect.forEach(yield* claims.findAll(account, asked), holderOf)
    return new Map(asked.map((id, i) => [id, holders[i]]))
  })

  /** The charge to compare a Pix with: the one that has it, where two name it, else the one that its item names. */
  const chargeOf = (item: ReceivedPix, holder: Holder, found: ReadonlyMap<string, StoredTransaction>) => {
    const named = chargeIdOf(item)
    if (holder === undefined) return named
    if (named === undefined || holder.kind === "exception") return holder.id
    const held = found.get(holder.id)
    return held !== undefined && readCharge(held).end_to_end_id === item.endToEndId ? holder.id : named
  }

  const received: Compare<ReceivedPix> = Effect.fnUntraced(function* (items) {
    const holders = yield* holdersOf(items)
    const ids = items.flatMap((item) =>
      [chargeIdOf(item) ?? [], holders.get(item.endToEndId)?.id ?? []].flat(),
    )
    const found = byId(yield* transactions.loadMany([...new Set(ids)]))
    const idOf = (item: ReceivedPix) => chargeOf(item, holders.get(item.endToEndId), found)
    return {
      subjects: items.flatMap((item) => {
        const about = `${idOf(item)}:${item.endToEndId}`
        return [`${about}:`, ...item.refunds.map(({ id }) => `${about}:${id}`)]
      }),
      differences: items.flatMap((item) =>
        differencesOfReceived(
          item,
          found.get(idOf(item) ?? ""),
          account,
          holders.get(item.endToEndId)?.kind === "exception",
        ),
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
