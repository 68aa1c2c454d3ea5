import { Clock, Effect } from "effect"
import type { Acquirer, ReceivedPix } from "../ports/acquirer.ts"
import { ExceptionStore } from "../ports/exceptionStore.ts"
import { PartitionCount } from "../ports/partitionCount.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import { exceptionOfNobody, type FoundException, factOf } from "../seller/decisions/exceptionDocument.ts"
import type { QueryStatus, ReconcileAnswer } from "../seller/decisions/noticeAnswer.ts"
import { reconcileCharge } from "../seller/operations/reconcileCharge.ts"
import { reconcilePayout } from "../seller/operations/reconcilePayout.ts"
import { makeAccountChanged } from "../seller/programs/accountChanged.ts"
import { makeFindChargeOfPix } from "../seller/programs/findChargeOfPix.ts"
import { makeOpenReturns } from "../seller/programs/paymentReturns.ts"
import { SellerActors } from "../seller/sellerActor.ts"
import type { ListedItem } from "../values/listedItem.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { type Difference, isAsListed } from "./differences.ts"

/** What became of a difference: all that there is to do is done, or it is to be tried again, or only the list says so yet. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly item: ListedItem }
  | { readonly kind: "unconfirmed"; readonly item: ListedItem; readonly queryStatus: QueryStatus }

const done: Outcome = { kind: "done" }

/** Makes the program that records a Pix or payout that is not ours, once. Answers the exception, and whether it is new. */
const makeOpenUnknown = Effect.fnUntraced(function* ({ slug, account }: Acquirer) {
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount

  return Effect.fnUntraced(function* (found: Omit<FoundException, "acquirer">) {
    const nowMillis = yield* Clock.currentTimeMillis
    const exception = exceptionOfNobody({ ...found, acquirer: slug }, account, partitions, nowMillis)
    const { kind, id } = yield* exceptions.open(exception)
    if (kind === "opened") {
      const sum = `${found.amount} centavos`
      yield* Effect.logError(`the acquirer's books have ${sum} that ours have not: ${id}, ${exception.fact}`)
    }
    return { kind, id }
  })
})

/**
 * Makes the program for a Pix that names no charge of ours: its charge is the one that has it, or that the acquirer's query of the Pix
 * names; else it is a `payment_unknown`, and what went back of it an exception of its own.
 */
const makeSettleUnknownPix = Effect.fnUntraced(function* (
  acquirer: Acquirer,
  askAbout: (item: ListedItem) => Effect.Effect<Outcome, StoreUnavailable>,
) {
  const exceptions = yield* ExceptionStore
  const { partitions } = yield* PartitionCount
  const openUnknown = yield* makeOpenUnknown(acquirer)
  const findCharge = yield* makeFindChargeOfPix
  const openReturns = yield* makeOpenReturns

  return Effect.fnUntraced(function* (pix: ReceivedPix) {
    const { endToEndId, amount, txid } = pix
    const details = { end_to_end_id: endToEndId, txid: txid ?? null }
    const found = { kind: "payment_unknown", about: endToEndId, amount, details } as const
    const { id, fact } = exceptionOfNobody({ ...found, acquirer: "" }, acquirer.account, partitions, 0)
    const known = yield* exceptions.findFact(id, fact)
    if (known === undefined) {
      const charge = yield* findCharge(acquirer, endToEndId)
      if (charge.kind === "charge") {
        const { transactionId } = charge
        return yield* askAbout({ kind: "pix", transactionId, endToEndId, refundId: undefined, amount })
      }
    }
    const exception = known ?? (yield* exceptions.load((yield* openUnknown(found)).id))
    if (exception !== undefined) yield* openReturns(exception, pix)
    return done
  })
})

/** Makes the program that records what went back of a Pix that only the list has, once that is an exception. */
const makeNoteUnconfirmedReturns = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const openReturns = yield* makeOpenReturns

  return Effect.fnUntraced(function* (transactionId: string, pix: ReceivedPix) {
    const fact = factOf("payment_unconfirmed", pix.endToEndId)
    const exception = yield* exceptions.findFact(transactionId, fact)
    if (exception !== undefined) yield* openReturns(exception, pix)
  })
})

/**
 * Makes the program that does what there is to do about a difference: the charge or payout is asked about and what the acquirer confirms
 * is applied, as after a notice; what is none of ours becomes an exception.
 */
export const makeSettleDifference = Effect.fnUntraced(function* (acquirer: Acquirer) {
  const sellers = yield* SellerActors
  const withdrawals = yield* WithdrawalStore
  const accountChanged = yield* makeAccountChanged
  const openUnknown = yield* makeOpenUnknown(acquirer)
  const noteUnconfirmedReturns = yield* makeNoteUnconfirmedReturns

  const ask = (item: ListedItem): Effect.Effect<ReconcileAnswer> => {
    if (item.kind === "payout") return sellers.ask(reconcilePayout, { withdrawalId: item.withdrawalId })
    const { transactionId, endToEndId, refundId } = item
    return sellers.ask(reconcileCharge, { transactionId, noticed: { endToEndId, refundId } })
  }

  /** Whether the query's word leaves the list's as it was: it agrees with our books, and the list with neither. */
  const isStillOtherwise = Effect.fnUntraced(function* (item: ListedItem) {
    if (item.kind === "pix") return false
    const stored = yield* withdrawals.load(item.withdrawalId)
    return stored !== undefined && !isAsListed(item, stored)
  })

  const askAbout = Effect.fnUntraced(function* (
    item: ListedItem,
  ): Effect.fn.Return<Outcome, StoreUnavailable> {
    const what = item.kind === "payout" ? item.withdrawalId : item.transactionId
    const answer = yield* ask(item)
    switch (answer.kind) {
      case "settled": {
        const { queryStatus } = answer
        if (queryStatus !== undefined && (yield* isStillOtherwise(item))) {
          yield* Effect.logWarning(`the acquirer's list has ${what} otherwise than its query, and than ours`)
          return { kind: "unconfirmed", item, queryStatus }
        }
        yield* Effect.logWarning(`the acquirer's books differed from ours: ${what} is put right`)
        return done
      }
      case "pending":
        yield* Effect.logWarning(`the acquirer's list has more of ${what} than its query confirms`)
        return { kind: "unconfirmed", item, queryStatus: answer.queryStatus ?? "unknown" }
      default: {
        const reason = answer.kind === "missing" ? "it is gone" : answer.reason
        yield* Effect.logWarning(`${what} differs from the acquirer's books: ${reason}`)
        return { kind: "failed", item }
      }
    }
  })
  const settleUnknownPix = yield* makeSettleUnknownPix(acquirer, askAbout)

  const settleListed = Effect.fnUntraced(function* ({ item, pix }: Extract<Difference, { kind: "listed" }>) {
    const outcome = yield* askAbout(item)
    if (outcome.kind === "unconfirmed" && item.kind === "pix" && pix !== undefined) {
      yield* noteUnconfirmedReturns(item.transactionId, pix)
    }
    return outcome
  })

  const settle = (difference: Difference): Effect.Effect<Outcome, StoreUnavailable> => {
    switch (difference.kind) {
      case "unknownPix":
        return settleUnknownPix(difference.pix)
      case "unknownPayout":
        return Effect.as(openUnknown(difference.found), done)
      case "otherAccount":
        return Effect.as(accountChanged(difference.resourceId), done)
      case "listed":
        return settleListed(difference)
    }
  }
  return { settle, askAbout }
})
