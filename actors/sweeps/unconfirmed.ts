import { Clock, Effect } from "effect"
import type { Acquirer } from "../ports/acquirer.ts"
import { ExceptionStore, type NewException } from "../ports/exceptionStore.ts"
import type { UnconfirmedItem } from "../ports/sweepStore.ts"
import { TransactionStore } from "../ports/transactionStore.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { factOf, readException } from "../seller/decisions/exceptionDocument.ts"
import { isRecorded, type QueryStatus } from "../seller/decisions/noticeAnswer.ts"
import { readCharge } from "../seller/decisions/transactionTransitions.ts"
import {
  factsOfUnconfirmed,
  unconfirmedPayout,
  unconfirmedPix,
} from "../seller/decisions/unconfirmedItems.ts"
import { makeClaimForNameless } from "../seller/programs/chargeClaims.ts"
import { makeResolveByItself } from "../seller/programs/resolveByItself.ts"
import { makeResolveBesideUnknown } from "../seller/programs/resolveReturned.ts"
import type { ListedPix } from "../values/listedItem.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** Makes the programs that open the exception of an item which no query confirms, and resolve it once nothing differs any more. */
export const makeUnconfirmedExceptions = Effect.fnUntraced(function* ({ slug, account }: Acquirer) {
  const exceptions = yield* ExceptionStore
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const resolveByItself = yield* makeResolveByItself
  const claimForNameless = yield* makeClaimForNameless
  const resolveBesideUnknown = yield* makeResolveBesideUnknown

  const exceptionOf = Effect.fnUntraced(function* (
    entry: UnconfirmedItem,
    queryStatus: QueryStatus,
  ): Effect.fn.Return<NewException | undefined, StoreUnavailable> {
    const { item } = entry
    const time = { nowMillis: yield* Clock.currentTimeMillis, offsetMillis: 0 }
    if (item.kind === "pix") {
      const stored = yield* transactions.load(item.transactionId)
      return stored && unconfirmedPix({ ...entry, item }, stored, queryStatus, slug, time)
    }
    const stored = yield* withdrawals.load(item.withdrawalId)
    return stored && unconfirmedPayout({ ...entry, item }, stored, queryStatus, slug, time)
  })

  /** The exception of a charge whose payment nobody named is that of the Pix which the list names, or has claimed it. */
  const nameItsPix = Effect.fnUntraced(function* ({ transactionId, endToEndId }: ListedPix) {
    const fact = factOf("payment_unconfirmed", transactionId)
    yield* resolveByItself(transactionId, fact, `The acquirer's list names its Pix: ${endToEndId}`)
    yield* claimForNameless(transactionId, account, [endToEndId])
  })

  /**
   * Opens the exception of an item, once; nothing where our books have as much of it as the list. Answers whether operators have booked
   * it, and the list is otherwise than our books again.
   */
  const open = Effect.fnUntraced(function* (entry: UnconfirmedItem, queryStatus: QueryStatus) {
    const exception = yield* exceptionOf(entry, queryStatus)
    if (exception === undefined) return false
    const { item } = entry
    if (item.kind === "pix" && item.refundId === undefined) yield* nameItsPix(item)
    if (item.kind === "pix" && item.refundId !== undefined) {
      yield* resolveBesideUnknown(item.transactionId, item.endToEndId, [item.refundId])
    }
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "opened") {
      yield* Effect.logError(`exception ${id}: ${exception.fact}`)
      return false
    }
    const known = item.kind === "payout" ? yield* exceptions.load(id) : undefined
    return known?.state === "resolved" && readException(known).act !== "dismiss"
  })

  /** Whether the exception of an item is over. What was taken back of a credited Pix stays to be debited, confirmed or not. */
  const isOver = Effect.fnUntraced(function* ({ item }: UnconfirmedItem) {
    if (item.kind === "payout" || item.refundId === undefined) return true
    const charge = yield* transactions.load(item.transactionId)
    return charge !== undefined && isRecorded(readCharge(charge), item.refundId)
  })

  /** Resolves the exception of an item that is confirmed, or that the list no longer has. */
  const close = Effect.fnUntraced(function* (entry: UnconfirmedItem) {
    if (!(yield* isOver(entry))) return
    const { item } = entry
    const idOfPartition = item.kind === "pix" ? item.transactionId : item.withdrawalId
    for (const fact of factsOfUnconfirmed(entry)) {
      yield* resolveByItself(idOfPartition, fact, "The acquirer's list and its query agree by now")
    }
  })

  return { open, close }
})
