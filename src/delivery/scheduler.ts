import { Clock, Context, Effect, FiberSet, Layer, Queue, Result, Semaphore } from "effect"
import { EndpointActors } from "../../actors/endpoint/endpointActor.ts"
import { Inbox } from "../../actors/inbox/inbox.ts"
import { ApiKeyStore, parseRevokeTimer } from "../../actors/ports/apiKeyStore.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { type DueTimer, TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import type { SellerMessage } from "../../actors/seller/sellerMessages.ts"
import { limits } from "../../schema/limits.ts"

/** How well the scheduler keeps up. */
export class Scheduler extends Context.Service<
  Scheduler,
  {
    /** Partitions this process runs. */
    readonly partitionsHeld: () => number
    /** Ms since every held partition was last looked at; Infinity before the first time. */
    readonly lagMillis: (nowMillis: number) => number
    /** Gives the partitions to others; nothing new is started afterwards. */
    readonly stop: Effect.Effect<void>
  }
>()("corrente/delivery/Scheduler") {}

/** How often partitions are shared out anew; well within their lease. */
const rebalanceIntervalMillis = 1_000

/** What is known of a held partition: when its next timer and delivery are due. */
interface PartitionState {
  timersAtMillis: number
  deliveriesAtMillis: number
}

/**
 * The clockwork of the partitions this process holds: fires due timers at their seller's actor and wakes the endpoint
 * actors that something is owed to. Hints make it prompt; a look at everything twice a second makes it certain.
 */
export const SchedulerLive = Layer.effect(
  Scheduler,
  Effect.gen(function* () {
    const partitions = yield* Partitions
    const timerQueue = yield* TimerQueue
    const deliveryQueue = yield* DeliveryQueue
    const transactions = yield* TransactionStore
    const apiKeys = yield* ApiKeyStore
    const withdrawals = yield* WithdrawalStore
    const inbox = yield* Inbox
    const sellers = yield* SellerActors
    const endpoints = yield* EndpointActors

    const notices = yield* FiberSet.make()
    const held = new Map<number, PartitionState>()
    const alarms = yield* Queue.sliding<"ring">(1)
    // Bounded: what does not fit is found by the next look.
    const wakes = yield* Queue.dropping<string>(limits.mailboxCapacity)
    const state = { sweptAtMillis: Number.NEGATIVE_INFINITY, lookAgain: false, isStopped: false }

    /** Held while partitions are taken or given up, so that a stop is the last to do so. */
    const sharing = yield* Semaphore.make(1)

    const wakeEndpoint = (destinationId: string) =>
      Effect.suspend(() =>
        state.isStopped
          ? Effect.void
          : endpoints.tell(destinationId, { _tag: "wake" }).pipe(
              // A full mailbox holds a wake already.
              Effect.ignore,
            ),
      )

    /** A key's timer: its day of grace after a rotation is over (spec 3). */
    const expireKey = (timer: DueTimer) => {
      const owner = parseRevokeTimer(timer.name)
      if (owner === undefined) return timerQueue.drop(timer)
      return apiKeys.expire(owner.sellerId, owner.mode, timer.resourceId)
    }

    /** Tells the actor of a timer's seller; a full mailbox lets the timer's lease end, and it fires again. */
    const tellSeller = (sellerId: string, message: SellerMessage) =>
      Effect.ignore(sellers.tell(sellerId, message))

    const fireOfCharge = Effect.fnUntraced(function* (timer: DueTimer) {
      const transaction = yield* transactions.load(timer.resourceId)
      if (transaction === undefined) return yield* timerQueue.drop(timer)
      yield* tellSeller(transaction.sellerId, { _tag: "FireTimer", timer, transaction })
    })

    const fireOfWithdrawal = Effect.fnUntraced(function* (timer: DueTimer) {
      const withdrawal = yield* withdrawals.load(timer.resourceId)
      if (withdrawal === undefined) return yield* timerQueue.drop(timer)
      yield* tellSeller(withdrawal.sellerId, { _tag: "FireWithdrawalTimer", timer, withdrawal })
    })

    /** A notice waits for a partner, so it is processed beside; one too many fires again when its lease ends. */
    const fireOfNotice = (timer: DueTimer) =>
      Effect.flatMap(FiberSet.size(notices), (size) => {
        if (size >= limits.noticesInProcessMax) return Effect.void
        // Leased for as long as the partner may take, so that no other processes it meanwhile.
        const processed = timerQueue.postpone(timer, limits.partnerTimerLeaseMillis).pipe(
          Effect.flatMap((leased) => (leased === undefined ? Effect.void : inbox.process(leased))),
          Effect.catchCause((cause) =>
            Effect.logDebug(`notice ${timer.resourceId} is processed again`, cause),
          ),
        )
        return Effect.asVoid(FiberSet.run(notices, processed))
      })

    /** A timer's resource says by its prefix what it calls for. */
    const fireTimer = (timer: DueTimer) => {
      if (timer.resourceId.startsWith("key_")) return expireKey(timer)
      if (timer.resourceId.startsWith("wd_")) return fireOfWithdrawal(timer)
      if (timer.resourceId.startsWith("inb_")) return fireOfNotice(timer)
      return fireOfCharge(timer)
    }

    const fireTimers = Effect.fnUntraced(function* (partition: number, known: PartitionState) {
      known.timersAtMillis = Number.POSITIVE_INFINITY
      const { due, nextInMillis } = yield* timerQueue.claim(partition, limits.timersPerClaim)
      known.timersAtMillis = Math.min(known.timersAtMillis, yield* inMillis(nextInMillis))
      yield* Effect.forEach(due, fireTimer, { concurrency: "unbounded", discard: true })
    })

    const wakeEndpoints = Effect.fnUntraced(function* (partition: number, known: PartitionState) {
      known.deliveriesAtMillis = Number.POSITIVE_INFINITY
      const due: Array<string> = []
      // All are named before any is woken: claims shorten the list that the next look skips along.
      while (true) {
        const { destinationIds, nextInMillis } = yield* deliveryQueue.dueDestinations(partition, due.length)
        known.deliveriesAtMillis = Math.min(known.deliveriesAtMillis, yield* inMillis(nextInMillis))
        if (destinationIds.length === 0) break
        due.push(...destinationIds)
      }
      yield* Effect.forEach(due, wakeEndpoint, { discard: true })
    })

    const looksAt = (partition: number, known: PartitionState, nowMillis: number, isSweep: boolean) => [
      ...(isSweep || known.timersAtMillis <= nowMillis ? [fireTimers(partition, known)] : []),
      ...(isSweep || known.deliveriesAtMillis <= nowMillis ? [wakeEndpoints(partition, known)] : []),
    ]

    /** One that fails must not keep the others from being looked at: failures count when all have been. */
    const turn = Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      const isSweep = state.lookAgain || nowMillis - state.sweptAtMillis >= limits.sweepIntervalMillis
      state.lookAgain = false
      const looks = [...held].flatMap(([partition, known]) => looksAt(partition, known, nowMillis, isSweep))
      const looked = yield* Effect.forEach(looks, Effect.result, { concurrency: "unbounded" })
      const failed = looked.find(Result.isFailure)
      if (failed !== undefined) {
        state.lookAgain = true
        return yield* Effect.fail(failed.failure)
      }
      if (isSweep) state.sweptAtMillis = nowMillis
    })

    const untilNextTurn = Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      let atMillis = state.sweptAtMillis + limits.sweepIntervalMillis
      for (const known of held.values()) {
        atMillis = Math.min(atMillis, known.timersAtMillis, known.deliveriesAtMillis)
      }
      const waitMillis = Math.max(0, Math.min(atMillis - nowMillis, limits.sweepIntervalMillis))
      if (waitMillis > 0) yield* Effect.timeoutOption(Queue.take(alarms), waitMillis)
    })

    const onWake = (wake: Wake) => {
      if (wake.kind === "lookAgain") state.lookAgain = true
      else if (wake.kind === "delivery") {
        Queue.offerUnsafe(wakes, wake.destinationId)
        return
      } else {
        const known = held.get(wake.partition)
        if (known !== undefined) known.timersAtMillis = Math.min(known.timersAtMillis, wake.dueMillis)
      }
      Queue.offerUnsafe(alarms, "ring")
    }
    const rebalance = Effect.gen(function* () {
      const now = yield* partitions.rebalance
      for (const partition of held.keys()) if (!now.has(partition)) held.delete(partition)
      for (const partition of now) {
        if (!held.has(partition)) {
          held.set(partition, { timersAtMillis: 0, deliveriesAtMillis: 0 })
          Queue.offerUnsafe(alarms, "ring")
        }
      }
    })

    const run = Effect.gen(function* () {
      while (!state.isStopped) {
        yield* turn
        yield* untilNextTurn
      }
    })

    const keepGoing = (name: string, program: Effect.Effect<void, { readonly reason: string }>) =>
      program.pipe(
        Effect.catch((error) => Effect.logDebug(`scheduler, ${name}: ${error.reason}`)),
        Effect.catchDefect((defect) => Effect.logError(`scheduler, ${name} broke and goes on`, defect)),
        Effect.andThen(Effect.sleep(100)),
        Effect.forever,
        Effect.forkScoped,
      )

    /** Prompt deliveries do not wait for a look at everything. */
    const wakePromptly = Effect.flatMap(Queue.takeAll(wakes), (destinationIds) =>
      Effect.forEach(new Set(destinationIds), wakeEndpoint, { discard: true }),
    ).pipe(Effect.forever, Effect.forkScoped)

    yield* partitions.listen(onWake)
    yield* wakePromptly
    yield* keepGoing("turn", run)
    yield* keepGoing(
      "rebalance",
      Effect.andThen(
        sharing.withPermits(1)(Effect.suspend(() => (state.isStopped ? Effect.void : rebalance))),
        Effect.sleep(rebalanceIntervalMillis - 100),
      ),
    )

    return Scheduler.of({
      partitionsHeld: () => held.size,
      lagMillis: (nowMillis) => nowMillis - state.sweptAtMillis,
      stop: Effect.suspend(() => {
        state.isStopped = true
        held.clear()
        return sharing.withPermits(1)(
          Effect.suspend(() => {
            held.clear()
            return partitions.releaseAll
          }),
        )
      }),
    })
  }),
)

const inMillis = (millis: number | undefined) =>
  millis === undefined
    ? Effect.succeed(Number.POSITIVE_INFINITY)
    : Effect.map(Clock.currentTimeMillis, (now) => now + millis)
