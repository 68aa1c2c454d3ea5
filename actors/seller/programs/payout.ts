import { Clock, Effect } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Acquirers, type PayoutReport } from "../../ports/acquirer.ts"
import { SecretOpener } from "../../ports/secretOpener.ts"
import { SimulatedOperator } from "../../ports/simulatedOperator.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { otherAccountReason } from "../decisions/acquirerAccount.ts"
import type { ReconcileAnswer } from "../decisions/noticeAnswer.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import {
  decidePayoutReport,
  decideProcessing,
  pollDelayMillis,
  readWithdrawal,
} from "../decisions/withdrawalTransitions.ts"
import { makeApplyWithdrawal } from "./applyWithdrawal.ts"
import { boundedCall } from "./boundedCall.ts"
import { makeWaitForAccount } from "./waitForAccount.ts"

/** The acquirer's answer about a payout; `silent` is unknown, not failed. */
type Told = PayoutReport | { readonly status: "silent"; readonly reason: string }

/** The acquirer's answer to a sending. `refused`: this sending will not be paid, whatever happened to an earlier one. */
type Heard = Told | { readonly status: "refused"; readonly reason: string }

const processingMillisOf = (stored: StoredWithdrawal): number =>
  Date.parse(readWithdrawal(stored).processing_at ?? readWithdrawal(stored).updated_at)

/**
 * Makes the payout worker (docs/decisions/0047-payouts-are-sent-once.md). The withdrawal is `processing` in the store before it is
 * sent, under an id derived from its own. From then on the acquirer is asked about it. It is sent again, under the same id, only
 * where the acquirer never heard of that id and the last sending is surely over. A refusal ends a withdrawal that was sent a
 * single time; once a sending may have been accepted, only the acquirer's word that it did not pay ends it as failed.
 */
export const makePayout = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const timers = yield* TimerQueue
  const acquirers = yield* Acquirers
  const opener = yield* SecretOpener
  const operator = yield* SimulatedOperator
  const apply = yield* makeApplyWithdrawal
  const waitForAccount = yield* makeWaitForAccount

  const query = (stored: StoredWithdrawal): Effect.Effect<Told> => {
    const { amount } = readWithdrawal(stored)
    const call = acquirers[stored.mode].queryPayout({ payoutId: payoutIdOf(stored.id), amount })
    return boundedCall("query payout", call).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ status: "silent", reason } as const)),
    )
  }

  const send = (stored: StoredWithdrawal, value: string): Effect.Effect<Heard> => {
    const { amount, description, pix_key } = readWithdrawal(stored)
    const call = acquirers[stored.mode].sendPayout({
      payoutId: payoutIdOf(stored.id),
      amount,
      pixKey: { type: pix_key.type, value },
      description,
    })
    return boundedCall("send payout", call).pipe(
      Effect.catchTags({
        AcquirerRefused: ({ reason }) => Effect.succeed({ status: "refused", reason } as const),
        AcquirerUnavailable: ({ reason }) => Effect.succeed({ status: "silent", reason } as const),
      }),
    )
  }

  const settle = Effect.fnUntraced(function* (stored: StoredWithdrawal, heard: Told, time: SellerTime) {
    if (heard.status === "silent") {
      yield* Effect.logWarning(`payout of ${stored.id}: ${heard.reason}; it will be asked about`)
      return undefined
    }
    return yield* apply(stored, (current) => decidePayoutReport(current, heard, time))
  })

  const openedValue = (stored: StoredWithdrawal) => {
    const value = opener.open(stored.pixValue)
    return value === undefined
      ? Effect.as(
          Effect.logError(`the PIX key of ${stored.id} cannot be opened: was ENCRYPTION_KEY changed?`),
          undefined,
        )
      : Effect.succeed(value)
  }

  const refusedAgain = (stored: StoredWithdrawal, reason: string) =>
    Effect.logError(
      `payout of ${stored.id}: the acquirer refused it when it was sent again (${reason}). It stays processing, because the first sending may have been paid; the acquirer's report or an operator ends it`,
    )

  /** Makes an approved withdrawal `processing`, then sends it. */
  const pay = Effect.fnUntraced(function* (timer: DueTimer, known: StoredWithdrawal, time: SellerTime) {
    if (known.status !== "approved") return yield* timers.drop(timer)
    const otherAccount = otherAccountReason(known, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    const value = yield* openedValue(known)
    if (value === undefined) {
      yield* timers.postpone(timer, limits.payoutPollMillisMax)
      return
    }
    const firstPollMillis = acquirers[known.mode].isLocal ? operator.delayMillis : limits.payoutPollMillisMin
    const beganMillis = yield* Clock.currentTimeMillis
    const now = yield* apply(known, (stored) => decideProcessing(stored, firstPollMillis, time))
    if (now?.isApplied !== true) return
    const heard = yield* send(now.stored, value)
    if (heard.status !== "refused") return yield* Effect.asVoid(settle(now.stored, heard, time))
    // This process may have been paused: then another has sent it, too, and was perhaps not refused.
    const isOnlySending = (yield* Clock.currentTimeMillis) - beganMillis < limits.payoutResendAfterMillis
    if (!isOnlySending) return yield* refusedAgain(now.stored, heard.reason)
    yield* settle(now.stored, { ...heard, status: "notPaid" }, time)
  })

  /** Sends a payout again that the acquirer never heard of. A refusal is believed only if asking confirms it. */
  const sendAgain = Effect.fnUntraced(function* (stored: StoredWithdrawal, time: SellerTime) {
    const value = yield* openedValue(stored)
    if (value === undefined) return
    const heard = yield* send(stored, value)
    if (heard.status !== "refused" && heard.status !== "notPaid") {
      yield* settle(stored, heard, time)
      return
    }
    const told = yield* query(stored)
    if (told.status === "paid" || told.status === "notPaid") yield* settle(stored, told, time)
    else yield* refusedAgain(stored, heard.reason)
  })

  const poll = Effect.fnUntraced(function* (timer: DueTimer, stored: StoredWithdrawal, time: SellerTime) {
    if (stored.status !== "processing") return yield* timers.drop(timer)
    const otherAccount = otherAccountReason(stored, acquirers)
    if (otherAccount !== undefined) return yield* waitForAccount(timer, otherAccount)
    const heard = yield* query(stored)
    const sinceMillis = processingMillisOf(stored)
    const delayMillis = pollDelayMillis(sinceMillis, time.nowMillis)
    if (heard.status === "paid" || heard.status === "notPaid") {
      yield* settle(stored, heard, time)
      return
    }
    const isOver = time.nowMillis - sinceMillis >= limits.payoutResendAfterMillis
    // Postponed first: sending again may end the withdrawal, and its timers with it.
    const askAfterMillis = heard.status === "processing" ? heard.askAfterMillis : undefined
    yield* timers.postpone(timer, askAfterMillis ?? delayMillis)
    if (heard.status === "unknown" && isOver) yield* sendAgain(stored, time)
  })

  const reconcile = Effect.fnUntraced(function* (withdrawalId: string, time: SellerTime) {
    const stored = yield* store.load(withdrawalId)
    if (stored === undefined) return { kind: "missing" } as const
    if (stored.status === "awaiting" || stored.status === "approved") return { kind: "pending" } as const
    if (stored.status !== "processing") return { kind: "settled", note: undefined } as const
    const otherAccount = otherAccountReason(stored, acquirers)
    if (otherAccount !== undefined) {
      yield* Effect.logError(`${otherAccount}: the acquirer is not asked about it`)
      return { kind: "unavailable", reason: otherAccount } as const
    }
    const heard = yield* query(stored)
    if (heard.status === "silent") return { kind: "unavailable", reason: heard.reason } as const
    if (heard.status === "processing" || heard.status === "unknown") return { kind: "pending" } as const
    const now = yield* settle(stored, heard, time)
    return now?.isContended === true
      ? ({ kind: "unavailable", reason: "others keep changing the withdrawal" } as const)
      : ({ kind: "settled", note: undefined } as const)
  })

  const payout: Payout = { pay, poll, reconcile }
  return payout
})

/** The payout worker. */
export interface Payout {
  /** Sends an approved withdrawal to its acquirer. */
  readonly pay: (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks the acquirer about a withdrawal that is processing. */
  readonly poll: (
    timer: DueTimer,
    stored: StoredWithdrawal,
    time: SellerTime,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Asks because of a notice. */
  readonly reconcile: (
    withdrawalId: string,
    time: SellerTime,
  ) => Effect.Effect<ReconcileAnswer, StoreUnavailable>
}
