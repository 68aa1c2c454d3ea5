import { Effect } from "effect"
import { timeOfId, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../ports/transactionStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { acquirerSlugOf, otherAccountReason } from "../decisions/acquirerAccount.ts"
import { withUnconfirmed } from "../decisions/chargeExceptions.ts"
import { balanceFull } from "../decisions/movements.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { decideEnd, decideReleased, readCharge, timerNames } from "../decisions/transactionTransitions.ts"
import { boundedCall } from "./acquirerCalls.ts"
import { makeReconcileCharge } from "./chargeReconciliation.ts"
import { makeWaitForAccount } from "./waits.ts"

/**
 * Makes the program that a charge's due timer runs: expire it, release its reserve, or ask the acquirer about it. A timer with
 * nothing to do any more is dropped; one whose commit fails fires again when its lease ends.
 */
export const makeFireTimer = Effect.gen(function* () {
  const store = yield* TransactionStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers
  const reconcileCharge = yield* makeReconcileCharge
  const waitForAccount = yield* makeWaitForAccount

  /**
   * Commits what `decide` calls for; drops the timer where that is nothing. Where others keep changing the charge, the timer
   * fires again when its lease ends.
   */
  const retryOnStale = (
    timer: DueTimer,
    known: StoredTransaction,
    decide: (stored: StoredTransaction) => TransitionCommit | undefined,
  ): Effect.Effect<void, StoreUnavailable> =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (stored: StoredTransaction | undefined) {
        const commit = stored === undefined ? undefined : decide(stored)
        if (commit === undefined) return yield* timers.drop(timer)
        const { kind } = yield* store.transition(commit)
        switch (kind) {
          case "applied":
            return
          case "stale":
            return stale
          case "missing":
            return yield* timers.drop(timer)
          case "overflow":
            yield* Effect.logError(`timer ${timer.name} of ${known.id}: ${balanceFull}`)
            yield* timers.postpone(timer, limits.payoutPollMillisMax)
            return
        }
      }),
      giveUp: () =>
        Effect.logWarning(
          `timer ${timer.name} of ${known.id}: others keep changing the charge; it fires again`,
        ),
    })

  /**
   * Asks the acquirer about a charge whose time has passed, and cancels it there, unless it says that it was paid. A charge that the
   * acquirer refuses to cancel may have just been paid, so it is asked once more. Answers the charge as it is then, whether cancelling
   * was refused, and whether it was paid by what the acquirer does not name.
   */
  const reconcileAndCancel = Effect.fnUntraced(function* (
    known: StoredTransaction,
    settings: SellerSettings,
    time: SellerTime,
  ) {
    const acquirer = acquirers[known.mode]
    const first = yield* reconcileCharge(known, undefined, settings, time)
    const stored = first.kind === "reconciled" ? first.stored : known
    const isPaidThere = first.kind === "reconciled" && first.isConcluded
    if (stored.status !== "pending" || isPaidThere) return { stored, isRefused: false, isPaidThere }
    const cancelling = acquirer.cancelCharge(txidOf(known.id))
    const removal = yield* boundedCall("cancel charge", cancelling, traceIdOf(known.document)).pipe(
      Effect.catch(({ reason }) => Effect.logWarning(`${known.id} expires uncancelled: ${reason}`)),
    )
    if (removal !== "refused") return { stored, isRefused: false, isPaidThere: false }
    const again = yield* reconcileCharge(stored, undefined, settings, time)
    if (again.kind !== "reconciled") return { stored, isRefused: true, isPaidThere: false }
    return { stored: again.stored, isRefused: true, isPaidThere: again.isConcluded }
  })

  /**
   * Asks the acquirer, then expires the charge, whether or not it answered. If the acquirer says that the charge was paid, asks on for
   * ten minutes, and then expires it with an exception (docs/partner.md#unconfirmed-items).
   */
  const expire = Effect.fnUntraced(function* (
    timer: DueTimer,
    known: StoredTransaction,
    settings: SellerSettings,
    time: SellerTime,
  ) {
    const { isLocal, books } = acquirers[known.mode]
    const isAsked = !isLocal && known.status === "pending"
    const { stored, isRefused, isPaidThere } = isAsked
      ? yield* reconcileAndCancel(known, settings, time)
      : { stored: known, isRefused: false, isPaidThere: false }
    const sinceMillis = time.nowMillis - Date.parse(readCharge(stored).expires_at)
    if (stored.status === "pending" && isPaidThere && sinceMillis < limits.unconfirmedMillisMin) {
      yield* timers.postpone(timer, limits.concludedChargeAskMillis)
      return
    }
    // Acquirers' lists lag behind a payment that crosses the cancellation: a refusal without a reason is tried again.
    if (stored.status === "pending" && isRefused && sinceMillis < limits.refusedRemovalMillis) {
      yield* timers.postpone(timer, limits.refusedRemovalMillis)
      return
    }
    // A payment that was on its way is in the books that sweeps read.
    const askAfterMillis = isLocal || books !== undefined ? undefined : limits.expiredChargeAskMillis
    yield* retryOnStale(timer, stored, (found) => {
      const expired = decideEnd(found, "expired", { askAfterMillis }, time)
      return expired && isPaidThere
        ? withUnconfirmed(expired, found, acquirerSlugOf(found, acquirers), time)
        : expired
    })
  })

  const ask = Effect.fnUntraced(function* (
    timer: DueTimer,
    known: StoredTransaction,
    settings: SellerSettings,
    time: SellerTime,
  ) {
    const asked = yield* reconcileCharge(known, undefined, settings, time)
    if (asked.kind === "silent") {
      const isSwept = acquirers[known.mode].books !== undefined
      const ageMillis = time.nowMillis - timeOfId(known.id)
      if (isSwept && ageMillis >= limits.sweptChargeAgeMillis) return yield* timers.drop(timer)
      yield* timers.postpone(timer, limits.silentAcquirerAskMillis)
      return
    }
    if (asked.kind === "missing") return yield* timers.drop(timer)
    if (asked.askAfterMillis === undefined) {
      if (!asked.endedTimers.includes(timer.name)) yield* timers.drop(timer)
      return
    }
    const { status, expires_at } = readCharge(asked.stored)
    const isLate = time.nowMillis > Date.parse(expires_at) + limits.expiredChargeAskedForMillis
    if (status === "expired" && isLate) return yield* timers.drop(timer)
    // Where the report's commits have set the timer anew, the lease has ended and this does nothing.
    yield* timers.postpone(timer, asked.askAfterMillis)
  })

  return (
    timer: DueTimer,
    stored: StoredTransaction,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<void, StoreUnavailable> => {
    const otherAccount = otherAccountReason(stored, acquirers)
    // Releasing the reserve needs no acquirer.
    if (otherAccount !== undefined && timer.name !== timerNames.release) {
      return waitForAccount(timer, otherAccount)
    }
    switch (timer.name) {
      case timerNames.expire:
        return expire(timer, stored, settings, time)
      case timerNames.release:
        return retryOnStale(timer, stored, (found) => decideReleased(found, time))
      default:
        return ask(timer, stored, settings, time)
    }
  }
})
