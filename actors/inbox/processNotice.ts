import { Clock, Effect } from "effect"
import { refundIdOfAcquirer } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { Acquirers } from "../ports/acquirer.ts"
import { InboxStore, type NoticeResult, type StoredNotice } from "../ports/inboxStore.ts"
import { type DueTimer, TimerQueue } from "../ports/timerQueue.ts"
import type { ReconcileAnswer } from "../seller/decisions/noticeAnswer.ts"
import { reconcileCharge } from "../seller/operations/reconcileCharge.ts"
import { reconcilePayout } from "../seller/operations/reconcilePayout.ts"
import { reconcileRefund } from "../seller/operations/reconcileRefund.ts"
import { makeFindChargeOfPix } from "../seller/programs/findChargeOfPix.ts"
import { SellerActors } from "../seller/sellerActor.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** How long until the next attempt: a minute, doubling to an hour; undefined where none is left. */
export const noticeRetryMillis = (attempts: number): number | undefined =>
  attempts >= limits.noticeAttemptsMax
    ? undefined
    : Math.min(limits.noticeRetryMillisMax, limits.noticeRetryMillisMin * 2 ** Math.min(30, attempts - 1))

/** The result of a notice's `attempts`-th attempt. */
export const noticeResult = (
  id: string,
  answer: ReconcileAnswer,
  attempts: number,
  nowMillis: number,
): NoticeResult => {
  const processedAt = new Date(nowMillis).toISOString()
  switch (answer.kind) {
    case "settled":
      return { id, processedAt, error: answer.note, retryAfterMillis: undefined }
    case "missing":
      return {
        id,
        processedAt,
        error: "it names no charge or withdrawal of ours",
        retryAfterMillis: undefined,
      }
    default: {
      const retryAfterMillis = noticeRetryMillis(attempts)
      const reason = answer.reason ?? "the acquirer does not confirm it yet"
      const error = retryAfterMillis === undefined ? `given up: ${reason}` : reason
      return { id, processedAt: undefined, error, retryAfterMillis }
    }
  }
}

/**
 * Makes the program that a notice's timer runs. It asks the acquirer and applies the acquirer's answer, never the notice's
 * content (docs/contract/notices.md#processing). What is not confirmed yet is tried again.
 */
export const makeProcessNotice = Effect.gen(function* () {
  const store = yield* InboxStore
  const timers = yield* TimerQueue
  const sellers = yield* SellerActors
  const acquirers = yield* Acquirers
  const findCharge = yield* makeFindChargeOfPix

  /** A notice may name its Pix alone: then the acquirer says whose it is. */
  const askAboutPix = Effect.fnUntraced(function* (
    notice: StoredNotice,
    endToEndId: string,
  ): Effect.fn.Return<ReconcileAnswer, StoreUnavailable> {
    const acquirer = Object.values(acquirers).find(({ slug }) => slug === notice.acquirerSlug)
    if (acquirer === undefined) return { kind: "missing" }
    const found = yield* findCharge(acquirer, endToEndId)
    if (found.kind === "silent") return { kind: "unavailable", reason: found.reason }
    if (found.kind === "nobody") return { kind: "missing" }
    const { transactionId } = found
    return yield* sellers.ask(reconcileCharge, { transactionId, noticed: notice })
  })

  const askAbout = (notice: StoredNotice): Effect.Effect<ReconcileAnswer, StoreUnavailable> => {
    const { transactionId, withdrawalId, endToEndId } = notice
    if (transactionId !== undefined) return sellers.ask(reconcileCharge, { transactionId, noticed: notice })
    if (withdrawalId !== undefined) return sellers.ask(reconcilePayout, { withdrawalId })
    if (endToEndId !== undefined && notice.eventType !== "pix.sent") return askAboutPix(notice, endToEndId)
    return Effect.succeed({ kind: "missing" })
  }

  /** Asks about the refund first, if the notice names one that may be ours; then about its charge, which has it by then. */
  const ask = (notice: StoredNotice): Effect.Effect<ReconcileAnswer, StoreUnavailable> => {
    const refundId = notice.refundId === undefined ? undefined : refundIdOfAcquirer(notice.refundId)
    if (refundId === undefined) return askAbout(notice)
    return Effect.flatMap(sellers.ask(reconcileRefund, { refundId }), (answer) => {
      const isOver = answer.kind === "settled" || answer.kind === "missing"
      const isCharges = notice.transactionId !== undefined || answer.kind === "missing"
      return isOver && isCharges ? askAbout(notice) : Effect.succeed(answer)
    })
  }

  return (timer: DueTimer): Effect.Effect<void, StoreUnavailable> =>
    Effect.gen(function* () {
      const notice = yield* store.load(timer.resourceId)
      if (notice === undefined || !notice.signatureValid) return yield* timers.drop(timer)
      const answer = yield* ask(notice)
      const nowMillis = yield* Clock.currentTimeMillis
      yield* store.record(noticeResult(notice.id, answer, notice.attempts + 1, nowMillis))
    })
})
