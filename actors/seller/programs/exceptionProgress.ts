import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { SellerClock } from "../../ports/sellerClock.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import { TransactionStore } from "../../ports/transactionStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { exceptionTimerName } from "../../values/exceptionTimers.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { decideChargeResolved } from "../decisions/chargeExceptions.ts"
import {
  decideRefundFailedOf,
  type PendingAct,
  readPending,
  resolutionOf,
} from "../decisions/exceptionActs.ts"
import { decideResolved, type Resolution, readException } from "../decisions/exceptionDocument.ts"
import { balanceFull, paymentCredited, paymentDebited } from "../decisions/movements.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { makePixHolder } from "./pixHolder.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

/** The end of an exception that the acquirer refunded without telling us. */
const foundResolution: Resolution = {
  act: "refund",
  reason: "The acquirer had made its refund",
  operatorIds: [],
}

/** Another attempt is under way than the one that the acquirer spoke of. */
const another = { kind: "another" } as const

/** Makes the programs that end an act under way; each does nothing where it has ended meanwhile. */
export const makeEndAct = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const transactions = yield* TransactionStore
  const clock = yield* SellerClock
  const pixHolder = yield* makePixHolder
  const resolveByItself = yield* makeResolveByItself

  const timeOf = Effect.fnUntraced(function* ({ sellerId, mode }: StoredException) {
    const isTest = mode === "test" && sellerId !== undefined
    const offsetMillis = isTest ? yield* clock.offsetMillis(sellerId) : 0
    const time: SellerTime = { nowMillis: (yield* Clock.currentTimeMillis) + offsetMillis, offsetMillis }
    return time
  })

  /** Decides and commits while the act is under way; answers whether a commit was applied. */
  const whileGoing = (
    id: string,
    act: PendingAct["act"],
    attempt: (
      stored: StoredException,
      pending: PendingAct,
      time: SellerTime,
    ) => Effect.Effect<{ readonly kind: string }, StoreUnavailable>,
  ): Effect.Effect<boolean, StoreUnavailable> =>
    decideAndCommit({
      read: exceptions.load(id),
      attempt: Effect.fnUntraced(function* (stored: StoredException | undefined) {
        const pending = stored && readPending(stored)
        if (stored === undefined || pending?.stage !== "going" || pending.act !== act) return false
        const { kind } = yield* attempt(stored, pending, yield* timeOf(stored))
        return kind === "stale" ? stale : kind === "applied"
      }),
      giveUp: () => Effect.succeed(false),
    })

  /** Resolves an exception whose money the acquirer has sent back. Its charge, if it has one, says so, and its seller is told. */
  const commitRefunded = Effect.fnUntraced(function* (
    stored: StoredException,
    resolution: Resolution,
    time: SellerTime,
  ): Effect.fn.Return<{ readonly kind: string }, StoreUnavailable> {
    const change = decideResolved(stored, resolution, time)
    const { resource_type, resource_id } = readException(stored)
    if (resource_type !== "transaction" || resource_id === null) {
      return yield* exceptions.commit({ change, timers: [], timersDone: [exceptionTimerName] })
    }
    const charge = yield* transactions.load(resource_id)
    if (charge === undefined) return { kind: "missing" }
    // The commit of the charge leaves the exception's timer, which finds nothing to do any more.
    return yield* transactions.transition(decideChargeResolved(charge, change))
  })

  /** The acquirer has made the refund, which is that attempt's. */
  const refunded = (id: string, refundId: string | null) =>
    whileGoing(
      id,
      "refund",
      Effect.fnUntraced(function* (stored, pending, time) {
        if (pending.refund_id !== refundId) return another
        return yield* commitRefunded(stored, resolutionOf(pending), time)
      }),
    )

  /**
   * The acquirer's books have a refund of the exception's as made, whether or not we know that anybody asked for it: a restored backup may
   * have forgotten it. Another act that is under way goes on.
   */
  const refundFound = (id: string, refundId: string) =>
    decideAndCommit({
      read: exceptions.load(id),
      attempt: Effect.fnUntraced(function* (stored: StoredException | undefined) {
        if (stored?.state !== "open") return false
        const pending = readPending(stored)
        const going = pending?.stage === "going" ? pending : undefined
        const isOther =
          going?.act !== "refund" || (going.refund_id !== refundId && going.sent_millis !== null)
        if (going !== undefined && isOther) return false
        const resolution = going === undefined ? foundResolution : resolutionOf(going)
        const { kind } = yield* commitRefunded(stored, resolution, yield* timeOf(stored))
        return kind === "stale" ? stale : kind === "applied"
      }),
      giveUp: () => Effect.succeed(false),
    })

  /** What was unknown or unconfirmed is over where its Pix has come to count for something else while the refund was under way. */
  const resolveCounted = Effect.fnUntraced(function* (id: string) {
    const stored = yield* exceptions.load(id)
    const isOver = stored?.kind === "payment_unknown" || stored?.kind === "payment_unconfirmed"
    const holder = isOver ? yield* pixHolder(stored) : undefined
    if (isOver && holder !== undefined) {
      yield* resolveByItself(id, stored.fact, `Its Pix counts for ${holder}`)
    }
  })

  /**
   * The acquirer refused that attempt's refund, or could not make it: the exception is as it was, or over, where its Pix counts for
   * something else by now.
   */
  const refundFailed = Effect.fnUntraced(function* (id: string, refundId: string | null, failure: string) {
    yield* Effect.logWarning(`exception ${id}: its refund ${refundId} failed: ${failure}`)
    const isEnded = yield* endFailed(id, refundId, failure)
    if (isEnded) yield* resolveCounted(id)
    return isEnded
  })

  const endFailed = (id: string, refundId: string | null, failure: string) =>
    whileGoing(id, "refund", (stored, pending) =>
      pending.refund_id === refundId
        ? exceptions.commit({
            change: decideRefundFailedOf(stored, failure),
            timers: [],
            timersDone: [exceptionTimerName],
          })
        : Effect.succeed(another),
    )

  /** Credits a payment to a seller of another partition, or debits it, once, and then resolves its exception. */
  const book = (id: string, act: keyof typeof bookings) =>
    whileGoing(
      id,
      act,
      Effect.fnUntraced(function* (stored, pending, time) {
        const { movementOf, eventType } = bookings[act]
        const { seller_id: sellerId } = pending
        if (sellerId === null) return { kind: "missing" }
        const resolved = decideResolved(stored, resolutionOf(pending), time)
        const document = { ...readException(resolved), seller_id: sellerId }
        const { kind } = yield* exceptions.credit({
          exceptionId: id,
          feed: { sellerId, mode: stored.mode },
          movement: movementOf(id, document.amount),
          eventType,
          resourceId: id,
          // Who decided it, and why, is the operators'.
          document: JSON.stringify({ ...document, resolved_by: null, reason: null }),
        })
        if (kind !== "applied") {
          yield* Effect.logError(
            `the ${act} of exception ${id} is not booked: ${kind === "overflow" ? balanceFull : kind}`,
          )
          return { kind }
        }
        const change = { ...resolved, document: JSON.stringify(document) }
        return yield* exceptions.commit({ change, timers: [], timersDone: [exceptionTimerName] })
      }),
    )

  return { refunded, refundFound, refundFailed, book }
})

/** The acts that move a seller's money by an exception alone. */
const bookings = {
  credit: { movementOf: paymentCredited, eventType: "exception.credited" },
  debit: { movementOf: paymentDebited, eventType: "exception.debited" },
} as const

/** Makes the program that carries on a credit or debit when its timer fires; where it cannot be made, it is tried again later. */
export const makeFireBooking = Effect.gen(function* () {
  const timers = yield* TimerQueue
  const { book } = yield* makeEndAct
  return (timer: DueTimer, act: keyof typeof bookings): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(book(timer.resourceId, act), (isDone) =>
      isDone ? Effect.void : Effect.asVoid(timers.postpone(timer, limits.payoutPollMillisMax)),
    )
})
