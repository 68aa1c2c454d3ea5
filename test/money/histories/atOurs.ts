import { Clock, Effect, Result } from "effect"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { readPending } from "../../../actors/seller/decisions/exceptionActs.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { readCharge } from "../../../actors/seller/decisions/transactionTransitions.ts"
import { simulateOutcome } from "../../../actors/seller/operations/simulateOutcome.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { makeSweep } from "../../../actors/sweeps/sweep.ts"
import { exceptionTimerName } from "../../../actors/values/exceptionTimers.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { refund as askForRefund, fresh, withdraw } from "../fund.ts"
import { backUp, restore } from "./backups.ts"
import { whileSolvent, whileWatched } from "./freeze.ts"
import {
  type Act,
  addCharge,
  addWithdrawal,
  type Charge,
  type History,
  nowMillisOf,
  payoutsOf,
  pick,
  pixOf,
  type Refund,
  type Withdrawal,
} from "./history.ts"
import { deliver, processNotices } from "./notices.ts"
import { operate } from "./operators.ts"
import { listsOf } from "./partnerAccount.ts"
import type { Step } from "./steps.ts"
import { otherSide } from "./twoAccounts.ts"

const timerOf = (name: string, resourceId: string) => ({ name, resourceId, leaseEndMillis: 0 })
const timeOf = (told: History) => ({ nowMillis: nowMillisOf(told), offsetMillis: 0 })

/** Fires the timer that a withdrawal has, if it has one. */
const fireWithdrawal = async (told: History, { id, side }: Withdrawal): Promise<void> => {
  const { fireWithdrawal: fire } = told.timers(told.at)
  const program = Effect.gen(function* () {
    const stored = yield* (yield* WithdrawalStore).load(id)
    if (stored?.status !== "approved" && stored?.status !== "processing") return undefined
    yield* fire(timerOf(stored.status === "approved" ? "pay" : "poll", id), stored, timeOf(told))
    return stored.status
  })
  const isFired = await whileWatched(told, () => whileSolvent(told, () => told.run(program)))
  if (isFired && side !== told.at) told.touched.add(id)
}

/** Fires the timer by which a charge is asked about, as long as it may be paid. */
const fireCharge = async (told: History, { id, side }: Charge): Promise<void> => {
  const { fireCharge: fire } = told.timers(told.at)
  const isFired = await told.run(
    Effect.gen(function* () {
      const stored = yield* (yield* TransactionStore).load(id)
      if (stored?.status !== "pending" && stored?.status !== "expired") return false
      yield* fire(timerOf("ask", id), stored, initialSettings, timeOf(told))
      return true
    }),
  )
  if (isFired && side !== told.at) told.touched.add(id)
}

/** A clock that is as far ahead as a history. */
const clockOf = (told: History, clock: Clock.Clock): Clock.Clock =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    currentTimeMillisUnsafe: () => nowMillisOf(told),
    currentTimeMillis: Effect.sync(() => nowMillisOf(told)),
  })

/** Carries on the refund of an exception. */
const fireRefund = async (told: History, { exceptionId }: Act): Promise<void> => {
  const { fireRefund: fire } = told.timers(told.at)
  const program = Effect.gen(function* () {
    const stored = yield* (yield* ExceptionStore).load(exceptionId)
    const pending = stored && readPending(stored)
    if (stored === undefined || pending?.stage !== "going") return undefined
    const clock = clockOf(told, yield* Clock.Clock)
    yield* Effect.provideService(
      fire(timerOf(exceptionTimerName, exceptionId), stored, pending),
      Clock.Clock,
      clock,
    )
    return stored.state
  })
  await whileWatched(told, () => told.run(program))
}

/** Fires all timers of a history once. */
export const fireTimers = async (told: History): Promise<void> => {
  for (const charge of told.charges) await fireCharge(told, charge)
  for (const withdrawal of told.withdrawals) await fireWithdrawal(told, withdrawal)
  for (const one of told.refunds) await fireOwnRefund(told, one)
  for (const act of told.acts) if (act.act === "refund") await fireRefund(told, act)
}

/** No request waits for the sweep. */
const idle = { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }

/** What sweeps remember of an account, by history: they are told side by side. */
const rememberedOf = (store: SweepStore["Service"], { principal }: History): SweepStore["Service"] => {
  const nameOf = (account: string) => `${account}:${principal.sellerId}`
  return {
    ...store,
    unconfirmed: (account) => store.unconfirmed(nameOf(account)),
    keepUnconfirmed: (account, items, before) => store.keepUnconfirmed(nameOf(account), items, before),
  }
}

/** Sweeps what the configured account's books have of a history; answers how many items it could not put right. */
export const sweep = async (told: History): Promise<number> => {
  const lists = listsOf(pixOf(told, told.at), payoutsOf(told, told.at))
  const failures = await told.run(
    Effect.gen(function* () {
      const remembered = rememberedOf(yield* SweepStore, told)
      const clock = clockOf(told, yield* Clock.Clock)
      const run = yield* Effect.provideService(
        makeSweep(told.partner(told.at).acquirer, lists),
        SweepStore,
        remembered,
      )
      const swept = run({ window: { fromMillis: 0, toMillis: nowMillisOf(told) } })
      return (yield* Effect.provideService(swept, Clock.Clock, clock)).failures
    }).pipe(Effect.provideService(RequestDelay, idle)),
  )
  if (failures === 0) told.uncompared.delete(told.at)
  return failures
}

/** Sweeps until whatever no query confirms is an exception. */
export const sweepForLong = async (told: History): Promise<void> => {
  for (let sweeps = 0; sweeps < limits.unconfirmedSweepsMin; sweeps++) {
    told.aheadMillis += limits.unconfirmedMillisMin / (limits.unconfirmedSweepsMin - 1)
    await sweep(told)
  }
}

const request = async (
  told: History,
  step: Extract<Step, { readonly kind: "withdrawal" }>,
): Promise<void> => {
  const answer = await told.run(withdraw(told.principal, told.pixKeyId, step.amount, fresh("withdrawal")))
  if (answer.kind !== "answered" || answer.status !== 201) return
  const { id } = JSON.parse(answer.body) as { readonly id: string }
  const withdrawal = addWithdrawal(told, id, step.amount)
  told.partner(told.at).hearings.set(withdrawal.payoutId, [...step.hearings])
  if (step.isSentAtOnce) await fireWithdrawal(told, withdrawal)
}

/** Fires the timer that a refund of the seller's has, if it has one. */
const fireOwnRefund = async (told: History, { id, side }: Refund): Promise<void> => {
  const { refunds } = told.timers(told.at)
  const program = Effect.gen(function* () {
    const stored = yield* (yield* RefundStore).load(id)
    if (stored?.status !== "pending" && stored?.status !== "processing") return undefined
    const [fire, name] = stored.status === "pending" ? [refunds.send, "send"] : [refunds.poll, "poll"]
    yield* fire(timerOf(name, id), stored, timeOf(told))
    return stored.status
  })
  const isFired = await whileWatched(told, () => told.run(program))
  if (isFired && side !== told.at) told.touched.add(id)
}

/** The seller refunds a charge; one that an operator has ended has no Pix of which anything could go back. */
const refund = async (told: History, step: Extract<Step, { readonly kind: "refund" }>): Promise<void> => {
  const { nth, amount, hearings, isSentAtOnce } = step
  const charge = pick(
    told.charges.filter(({ ended }) => ended === undefined),
    nth,
  )
  if (charge === undefined) return
  const asked = await told.run(
    Effect.result(askForRefund(told.principal, charge.id, amount, fresh("refund"))),
  )
  if (Result.isFailure(asked)) return
  const answer = asked.success
  if (answer.kind !== "answered" || answer.status !== 201) return
  const made: { readonly id: string; readonly amount: number } = JSON.parse(answer.body)
  const stored = await told.run(Effect.flatMap(TransactionStore, (store) => store.load(charge.id)))
  const endToEndId = stored === undefined ? "" : (readCharge(stored).end_to_end_id ?? "")
  const asRefund: Refund = {
    ...{ id: made.id, refundId: acquirerRefundIdOf(made.id), amount: made.amount },
    ...{ endToEndId, side: charge.side, ended: undefined },
  }
  told.refunds.push(asRefund)
  const partner = told.partner(charge.side)
  partner.ownRefunds.add(asRefund.refundId)
  partner.hearings.set(asRefund.refundId, [...hearings])
  if (isSentAtOnce) await fireOwnRefund(told, asRefund)
}

/** A charge of another account neither expires nor ends, so its own has to be configured. */
const expire = async (told: History, nth: number): Promise<void> => {
  const charge = pick(
    told.charges.filter(({ side }) => side === told.at),
    nth,
  )
  if (charge === undefined) return
  const ask = Effect.flatMap(SellerActors, (actors) =>
    Effect.result(actors.ask(simulateOutcome, { transactionId: charge.id, to: "expired" })),
  )
  charge.isExpired ||= (await told.run(ask))._tag === "Success"
}

const passTime = async (
  told: History,
  { afterMillis, silentNth }: Extract<Step, { readonly kind: "timers" }>,
): Promise<void> => {
  const asked = [
    ...told.withdrawals.map(({ side, payoutId }) => ({ side, id: payoutId })),
    ...told.refunds.map(({ side, refundId }) => ({ side, id: refundId })),
    ...told.acts.flatMap(({ side, endToEndId: id }) => (id === undefined ? [] : [{ side, id }])),
  ]
  const silent = silentNth === undefined ? undefined : pick(asked, silentNth)
  if (silent !== undefined) told.partner(silent.side).silent.add(silent.id)
  told.aheadMillis += afterMillis
  await fireTimers(told)
}

/** The other account is configured, and the seller makes a charge with it. */
const change = async (told: History): Promise<void> => {
  told.at = otherSide(told.at)
  await addCharge(told)
}

/** How many entries the seller's ledger has. */
const countEntries = (told: History): Promise<number> =>
  told.run(
    Effect.flatMap(Ledger, ({ readAfter }) =>
      Effect.map(
        readAfter({ sellerId: told.principal.sellerId, mode: "live" }, "0", 5_000),
        (entries) => entries.length,
      ),
    ),
  )

/** Performs a step of ours. */
export const performAtOurs = async (told: History, step: Step): Promise<void> => {
  switch (step.kind) {
    case "withdrawal":
      return request(told, step)
    case "refund":
      return refund(told, step)
    case "expiry":
      return expire(told, step.nth)
    case "timers":
      return passTime(told, step)
    case "notices":
      await deliver(told)
      return processNotices(told)
    case "sweep":
      await sweep(told)
      return
    case "hours":
      return sweepForLong(told)
    case "change":
      return change(told)
    case "backup":
      return backUp(told)
    case "restore":
      return restore(told)
    case "operator":
      return operate(told, step)
    case "night":
      told.nights.push(await countEntries(told))
      return
  }
}
