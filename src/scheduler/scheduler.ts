import { Clock, Context, Effect, Layer, Queue, Result, Semaphore } from "effect"
import { EndpointActors } from "../../actors/endpoint/endpointActor.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { limits } from "../../schema/limits.ts"
import { dueIn, makeTimerRun } from "./timerRun.ts"

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

/** What is known of a held partition: when its next delivery is due. */
interface PartitionState {
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
    const deliveryQueue = yield* DeliveryQueue
    const endpoints = yield* EndpointActors
    const timers = yield* makeTimerRun
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

    const wakeEndpoints = Effect.fnUntraced(function* (partition: number, known: PartitionState) {
      known.deliveriesAtMillis = Number.POSITIVE_INFINITY
      const due: Array<string> = []
      // All are named before any is woken: claims shorten the list that the next look skips along.
      while (true) {
        // Those that are woken wait for room: more of them would only take memory, and the next look finds them.
        if (endpoints.waiting() + due.length >= limits.destinationsWaitingMax) break
        const { destinationIds, nextInMillis } = yield* deliveryQueue.dueDestinations(partition, due.length)
        known.deliveriesAtMillis = Math.min(known.deliveriesAtMillis, yield* dueIn(nextInMillis))
        if (destinationIds.length === 0) break
        due.push(...destinationIds)
      }
      yield* Effect.forEach(due, wakeEndpoint, { discard: true })
    })

    const looksAt = (partition: number, known: PartitionState, nowMillis: number, isSweep: boolean) => [
      ...(isSweep ? [timers.look(partition)] : []),
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
        atMillis = Math.min(atMillis, known.deliveriesAtMillis)
      }
      const waitMillis = Math.max(0, Math.min(atMillis - nowMillis, limits.sweepIntervalMillis))
      if (waitMillis > 0) yield* Effect.timeoutOption(Queue.take(alarms), waitMillis)
    })

    const onWake = (wake: Wake) => {
      if (wake.kind === "timer") timers.hint(wake.partition, wake.dueMillis)
      else if (wake.kind === "delivery") Queue.offerUnsafe(wakes, wake.destinationId)
      else {
        state.lookAgain = true
        Queue.offerUnsafe(alarms, "ring")
      }
    }
    const rebalance = Effect.gen(function* () {
      const now = yield* partitions.rebalance
      for (const partition of held.keys()) {
        if (now.has(partition)) continue
        held.delete(partition)
        timers.release(partition)
      }
      for (const partition of now) {
        if (!held.has(partition)) {
          held.set(partition, { deliveriesAtMillis: 0 })
          timers.hold(partition)
          Queue.offerUnsafe(alarms, "ring")
        }
      }
    })

    const letGo = () => {
      for (const partition of held.keys()) timers.release(partition)
      held.clear()
    }

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
        letGo()
        return sharing.withPermits(1)(
          Effect.suspend(() => {
            letGo()
            return partitions.releaseAll
          }),
        )
      }),
    })
  }),
)
