import { Effect, FiberSet } from "effect"
import { Inbox } from "../../actors/inbox/inbox.ts"
import { ApiKeyStore, parseRevokeTimer } from "../../actors/ports/apiKeyStore.ts"
import { type ClaimedTimer, type DueTimer, TimerQueue } from "../../actors/ports/timerQueue.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { ActorFailed } from "../../actors/runtime/actor.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import type { FireTimersMessage } from "../../actors/seller/sellerMessages.ts"
import { limits } from "../../schema/limits.ts"

/** A charge's timer with its charge. */
type DueCharge = FireTimersMessage["due"][number]

const bySeller = (due: ReadonlyArray<DueCharge>): ReadonlyMap<string, ReadonlyArray<DueCharge>> => {
  const found = new Map<string, Array<DueCharge>>()
  for (const one of due) {
    const { sellerId } = one.charge.transaction
    const others = found.get(sellerId)
    if (others === undefined) found.set(sellerId, [one])
    else others.push(one)
  }
  return found
}

/**
 * Makes what fires timers that were claimed together: at their seller's actor those of charges, which are waited for, and
 * of withdrawals, which are not; a key's end and a notice by themselves. One that fails fires again when its lease ends.
 */
export const makeFireTimers = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const withdrawals = yield* WithdrawalStore
  const apiKeys = yield* ApiKeyStore
  const inbox = yield* Inbox
  const sellers = yield* SellerActors
  const notices = yield* FiberSet.make()

  /** A key's timer: its day of grace after a rotation is over. */
  const expireKey = (timer: DueTimer) => {
    const owner = parseRevokeTimer(timer.name)
    if (owner === undefined) return timerQueue.drop(timer)
    return apiKeys.expire(owner.sellerId, owner.mode, timer.resourceId)
  }

  const fireOfWithdrawal = Effect.fnUntraced(function* (timer: DueTimer) {
    const withdrawal = yield* withdrawals.load(timer.resourceId)
    if (withdrawal === undefined) return yield* timerQueue.drop(timer)
    // A full mailbox lets the timer's lease end, and it fires again.
    yield* Effect.ignore(
      sellers.tell(withdrawal.sellerId, { _tag: "FireWithdrawalTimer", timer, withdrawal }),
    )
  })

  /** A notice waits for a partner, so it is processed beside; one too many fires again when its lease ends. */
  const fireOfNotice = (timer: DueTimer) =>
    Effect.flatMap(FiberSet.size(notices), (size) => {
      if (size >= limits.noticesInProcessMax) return Effect.void
      // Leased for as long as the partner may take, so that no other processes it meanwhile.
      const processed = timerQueue.postpone(timer, limits.partnerTimerLeaseMillis).pipe(
        Effect.flatMap((leased) => (leased === undefined ? Effect.void : inbox.process(leased))),
        Effect.catchCause((cause) => Effect.logDebug(`notice ${timer.resourceId} is processed again`, cause)),
      )
      return Effect.asVoid(FiberSet.run(notices, processed))
    })

  const orAgain = (timer: DueTimer, fired: Effect.Effect<void, { readonly reason: string }>) =>
    Effect.catch(fired, (error) =>
      Effect.logDebug(`timer ${timer.name} of ${timer.resourceId} fires again: ${error.reason}`),
    )

  const fireAtSeller = (sellerId: string, due: ReadonlyArray<DueCharge>) =>
    Effect.ignore(sellers.ask<void, ActorFailed>(sellerId, (reply) => ({ _tag: "FireTimers", due, reply })))

  /** Those of a seller go to its actor in one message, so that what they have in common is done once. */
  const fireOfCharges = (due: ReadonlyArray<DueCharge>) =>
    Effect.forEach(bySeller(due), ([sellerId, ofSeller]) => fireAtSeller(sellerId, ofSeller), {
      concurrency: "unbounded",
      discard: true,
    })

  /** A timer's resource says by its prefix what it calls for; a charge that is not there calls for nothing. */
  const fireOther = (timer: DueTimer) => {
    if (timer.resourceId.startsWith("key_")) return expireKey(timer)
    if (timer.resourceId.startsWith("wd_")) return fireOfWithdrawal(timer)
    if (timer.resourceId.startsWith("inb_")) return fireOfNotice(timer)
    return timerQueue.drop(timer)
  }

  return (claimed: ReadonlyArray<ClaimedTimer>): Effect.Effect<void> => {
    const ofCharges: Array<DueCharge> = []
    const others: Array<Effect.Effect<void>> = []
    for (const { charge, ...timer } of claimed) {
      if (charge === undefined) others.push(orAgain(timer, fireOther(timer)))
      else ofCharges.push({ timer, charge })
    }
    return Effect.all([...others, fireOfCharges(ofCharges)], { concurrency: "unbounded", discard: true })
  }
})
