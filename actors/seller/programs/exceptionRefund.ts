import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Acquirers, type RefundAnswer } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { PayoutGate } from "../../ports/payoutGate.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import { exceptionTimerName } from "../../values/exceptionTimers.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { otherAccountReason } from "../decisions/acquirerAccount.ts"
import { type PendingAct, withPending } from "../decisions/exceptionActs.ts"
import { afterChange, readException } from "../decisions/exceptionDocument.ts"
import { afterAsking, afterResending, refundCameToNothing } from "../decisions/refundDecisions.ts"
import {
  pollDelayMillis,
  resendDelayMillis,
  withoutFundsDelayMillis,
} from "../decisions/withdrawalTransitions.ts"
import { boundedCall } from "./acquirerCalls.ts"
import { makeEndAct } from "./exceptionProgress.ts"
import { alarmRefundWithoutFunds, isRefundWithoutFunds } from "./withoutFunds.ts"

/** The acquirer's answer; `silent` is unknown, not failed. `refused`: this sending moves no money, whatever an earlier one did. */
type Told = RefundAnswer | { readonly status: "silent" }
type Heard =
  | Told
  | { readonly status: "refused"; readonly reason: string; readonly isWithoutFunds?: boolean | undefined }

/** Makes the two calls to the acquirer about the refund of an exception; neither fails. */
const makeCalls = Effect.map(Acquirers, (acquirers) => {
  const requestOf = (stored: StoredException, pending: PendingAct) => {
    const { amount, details } = readException(stored)
    return { endToEndId: String(details.end_to_end_id), refundId: pending.refund_id ?? "", amount }
  }
  const silent = (id: string, reason: string) =>
    Effect.as(Effect.logWarning(`refund of exception ${id}: ${reason}; it will be asked about`), {
      status: "silent",
    } as const)
  return {
    query: (stored: StoredException, pending: PendingAct): Effect.Effect<Told> =>
      boundedCall("query refund", acquirers[stored.mode].queryRefund(requestOf(stored, pending))).pipe(
        Effect.catch(({ reason }) => silent(stored.id, reason)),
      ),
    send: (stored: StoredException, pending: PendingAct): Effect.Effect<Heard> =>
      boundedCall("refund", acquirers[stored.mode].refund(requestOf(stored, pending))).pipe(
        Effect.catchTags({
          AcquirerRefused: ({ reason, isWithoutFunds }) =>
            Effect.succeed({ status: "refused", reason, isWithoutFunds } as const),
          AcquirerUnavailable: ({ reason }) => silent(stored.id, reason),
        }),
      ),
  }
})

const nameOf = (exceptionId: string): string => `refund of exception ${exceptionId}`
const sentAgainNext = "It stays under way, and is sent again under the same id"

const failureOf = (heard: Heard): string => {
  if (heard.status === "refused") return heard.reason
  if (heard.status !== "failed") return heard.status
  return heard.failureReason ?? heard.failureCode ?? "the acquirer could not make it"
}

/**
 * Makes the program that carries on the refund of a payment that paid no charge. Like the refunds of charges (docs/contract/refunds.md#live)
 * it is stored as sent before it is sent, under an id of ours, and asked about from then on. It is sent again, under the same id, only
 * where the acquirer never heard of that id and the last sending is surely over; a refusal then is believed only if asking confirms it.
 */
export const makeFireRefund = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers
  const gate = yield* PayoutGate
  const calls = yield* makeCalls
  const end = yield* makeEndAct

  /** Ends the act where the acquirer's answer is final. */
  const settle = Effect.fnUntraced(function* (id: string, { refund_id: refundId }: PendingAct, heard: Heard) {
    if (heard.status === "done") return yield* end.refunded(id, refundId)
    if (heard.status !== "failed") return false
    // Its id is over there: the next refund of the exception has another.
    if (isRefundWithoutFunds(heard)) {
      yield* alarmRefundWithoutFunds(nameOf(id), failureOf(heard), "An operator refunds it anew")
    }
    return yield* end.refundFailed(id, refundId, failureOf(heard))
  })

  const waitsWhileFrozen = Effect.fnUntraced(function* (timer: DueTimer, { id, mode }: StoredException) {
    const reason = yield* gate.frozen(mode)
    if (reason === undefined) return false
    yield* Effect.logWarning(`exception ${id} is refunded later: ${reason}`)
    yield* timers.postpone(timer, limits.frozenWaitMillis)
    return true
  })

  const refusedAgain = ({ id }: StoredException, heard: Heard) =>
    Effect.logError(
      `refund of exception ${id}: the acquirer refused it when it was sent again (${failureOf(heard)}). It stays under way, because the first sending may have been accepted`,
    )

  const sendFirst = Effect.fnUntraced(function* (
    timer: DueTimer,
    stored: StoredException,
    pending: PendingAct,
  ) {
    if (yield* waitsWhileFrozen(timer, stored)) return
    const beganMillis = yield* Clock.currentTimeMillis
    const sent = { ...pending, sent_millis: beganMillis }
    const poll = { name: exceptionTimerName, resourceId: stored.id }
    const { kind } = yield* exceptions.commit({
      change: withPending(stored, sent),
      timers: [{ ...poll, dueMillis: beganMillis + limits.payoutPollMillisMin }],
      timersDone: [],
    })
    if (kind !== "applied") return
    const heard = yield* calls.send(stored, sent)
    if (heard.status !== "refused") return yield* Effect.asVoid(settle(stored.id, sent, heard))
    if (heard.isWithoutFunds === true) {
      return yield* alarmRefundWithoutFunds(nameOf(stored.id), heard.reason, sentAgainNext)
    }
    // This process may have been paused: then another has sent it, too, and was perhaps not refused.
    const isOnlySending = (yield* Clock.currentTimeMillis) - beganMillis < limits.payoutResendAfterMillis
    if (isOnlySending) yield* end.refundFailed(stored.id, sent.refund_id, heard.reason)
    else yield* refusedAgain(stored, heard)
  })

  /** Keeps what was heard of a refund that goes on; where others changed the exception, the next poll hears it again. */
  const note = Effect.fnUntraced(function* (stored: StoredException, pending: PendingAct) {
    const change = withPending(stored, pending)
    if (change.pending === stored.pending) return stored
    const { kind } = yield* exceptions.commit({ change, timers: [], timersDone: [] })
    return kind === "applied" ? afterChange(change) : undefined
  })

  const sendAgain = Effect.fnUntraced(function* (
    timer: DueTimer,
    stored: StoredException,
    pending: PendingAct,
    sentMillis: number,
  ) {
    const heard = yield* calls.send(stored, pending)
    if (heard.status !== "refused" && heard.status !== "failed") {
      const isOver = yield* settle(stored.id, pending, heard)
      if (!isOver) yield* note(stored, afterResending(pending, undefined))
      return
    }
    const told = yield* calls.query(stored, pending)
    if (told.status === "done" || told.status === "failed") {
      yield* settle(stored.id, pending, told)
      return
    }
    if (heard.status === "refused" && heard.isWithoutFunds === true && told.status === "unknown") {
      yield* alarmRefundWithoutFunds(nameOf(stored.id), heard.reason, sentAgainNext)
      const nowMillis = yield* Clock.currentTimeMillis
      yield* timers.postpone(timer, withoutFundsDelayMillis(sentMillis, nowMillis))
      yield* note(stored, afterResending(pending, undefined))
      return
    }
    yield* refusedAgain(stored, heard)
    yield* note(stored, afterResending(pending, failureOf(heard)))
  })

  const poll = Effect.fnUntraced(function* (
    timer: DueTimer,
    known: StoredException,
    before: PendingAct,
    sentMillis: number,
  ) {
    const told = yield* calls.query(known, before)
    if (told.status === "done" || told.status === "failed") {
      // Where others kept changing it, the timer fires again when its lease ends.
      if (yield* settle(known.id, before, told)) yield* timers.drop(timer)
      return
    }
    const nowMillis = yield* Clock.currentTimeMillis
    const isKnown = told.status === "silent" ? undefined : told.status !== "unknown"
    const pending = afterAsking(before, isKnown, nowMillis)
    const cameToNothing = told.status === "unknown" ? refundCameToNothing(pending, nowMillis) : undefined
    if (cameToNothing !== undefined) {
      if (yield* end.refundFailed(known.id, pending.refund_id, cameToNothing)) yield* timers.drop(timer)
      return
    }
    const stored = yield* note(known, pending)
    // Others changed it: the timer fires again when its lease ends.
    if (stored === undefined) return
    const isToBeSent = told.status === "unknown" && nowMillis - sentMillis >= limits.payoutResendAfterMillis
    if (isToBeSent && (yield* waitsWhileFrozen(timer, stored))) return
    // Postponed first: sending again may end the act.
    const askAfterMillis = told.status === "processing" ? told.askAfterMillis : undefined
    const delayMillis = isToBeSent
      ? resendDelayMillis(sentMillis, nowMillis)
      : (askAfterMillis ?? pollDelayMillis(sentMillis, nowMillis))
    const postponed = yield* timers.postpone(timer, delayMillis)
    if (isToBeSent && postponed !== undefined) yield* sendAgain(postponed, stored, pending, sentMillis)
  })

  return (
    timer: DueTimer,
    stored: StoredException,
    pending: PendingAct,
  ): Effect.Effect<void, StoreUnavailable> =>
    Effect.gen(function* () {
      const { id, mode, account } = stored
      const belongs = account === undefined ? { id, mode } : { id, mode, account }
      const otherAccount = otherAccountReason(belongs, acquirers)
      if (otherAccount !== undefined) {
        yield* Effect.logError(`${otherAccount}: it is not refunded until that account is configured again`)
        yield* timers.postpone(timer, limits.otherAccountWaitMillis)
        return
      }
      if (pending.sent_millis === null) yield* sendFirst(timer, stored, pending)
      else yield* poll(timer, stored, pending, pending.sent_millis)
    })
})
