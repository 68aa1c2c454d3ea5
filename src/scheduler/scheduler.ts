/**
 * How due work is found:
 * 1. `rebalance`, once a second: this process takes its share of the partitions, each under a lease, and lets go of the others.
 * 2. Twice a second one sweep asks all held partitions when their next timer and their next delivery are due.
 * 3. A wake, published with the commit that made something due, does not wait for the sweep.
 * 4. Due timers are claimed and fired (`timerRun.ts`); destinations with due deliveries get a message, and their actor claims.
 *
 * If a wake is lost, the next sweep finds the work. If the process dies, its leases expire and another takes the partitions; claims are
 * fenced, so two holders of a partition do no harm.
 */

import { Clock, Context, Effect, Layer, Queue, Result, Semaphore } from "effect"
import { EndpointActors } from "../../actors/endpoint/endpointActor.ts"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { type NextDue, Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { limits } from "../../schema/limits.ts"
import { dueIn, makeTimerRun } from "./timerRun.ts"
import { makeTrimRun } from "./trimRun.ts"

/** Shows how the scheduler keeps up among the metrics, until the scope closes. */
const registerSchedulerMetrics = Effect.fnUntraced(function* (scheduler: {
  readonly partitionsHeld: () => number
  readonly lagMillis: (nowMillis: number) => number
}) {
  const clock = yield* Clock.Clock
  const startedMillis = clock.currentTimeMillisUnsafe()
  const { gauge } = yield* makeRegistrar
  gauge(
    { name: "corrente_partitions_held", description: "Partitions whose due work a process runs" },
    scheduler.partitionsHeld,
  )
  const lag = {
    name: "corrente_scheduler_lag_seconds",
    description: "Time since the held partitions were last looked at for due timers and deliveries",
  }
  gauge(lag, () => {
    const nowMillis = clock.currentTimeMillisUnsafe()
    // Infinite before the first look.
    return Math.min(scheduler.lagMillis(nowMillis), nowMillis - startedMillis) / 1_000
  })
})

/** Runs the due work of partitions, and reports how well it keeps up. */
export class Scheduler extends Context.Service<
  Scheduler,
  {
    /** Number of partitions that this process runs. */
    readonly partitionsHeld: () => number
    /** Ms since all held partitions were last swept; Infinity before the first sweep. */
    readonly lagMillis: (nowMillis: number) => number
    /** Releases all partitions; starts nothing new afterwards. */
    readonly stop: Effect.Effect<void>
  }
>()("corrente/delivery/Scheduler") {}

/** How often partitions are redistributed; well within their lease. */
const rebalanceIntervalMillis = 1_000

/** State of a held partition: when its next delivery is due. */
interface PartitionState {
  deliveriesAtMillis: number
}

/** One failure must not stop the other looks: failures count when all are done. */
const allTried = Effect.fnUntraced(function* <E>(looks: ReadonlyArray<Effect.Effect<void, E>>) {
  const looked = yield* Effect.forEach(looks, Effect.result, { concurrency: "unbounded" })
  const failed = looked.find(Result.isFailure)
  if (failed !== undefined) return yield* Effect.fail(failed.failure)
})

export const SchedulerLive = Layer.effect(
  Scheduler,
  Effect.gen(function* () {
    const partitions = yield* Partitions
    const deliveryQueue = yield* DeliveryQueue
    const endpoints = yield* EndpointActors
    const timers = yield* makeTimerRun
    const trims = yield* makeTrimRun
    const held = new Map<number, PartitionState>()
    const alarms = yield* Queue.sliding<"ring">(1)
    // Bounded: the next sweep finds what does not fit.
    const wakes = yield* Queue.dropping<string>(limits.mailboxCapacity)
    const state = { sweptAtMillis: Number.NEGATIVE_INFINITY, lookAgain: false, isStopped: false }

    /** Serialises taking and releasing of partitions, so that a stop has the last word. */
    const sharing = yield* Semaphore.make(1)

    const wakeEndpoint = (destinationId: string) =>
      Effect.suspend(() =>
        state.isStopped
          ? Effect.void
          : endpoints.tell(destinationId, { _tag: "wake" }).pipe(
              // A full mailbox already contains a wake.
              Effect.ignore,
            ),
      )

    const wakeEndpoints = Effect.fnUntraced(function* (partition: number, known: PartitionState) {
      known.deliveriesAtMillis = Number.POSITIVE_INFINITY
      const due: Array<string> = []
      // Lists all before waking any: claims shorten the list that the next page skips along.
      while (true) {
        // Woken actors wait for room: more of them would only take memory, and the next sweep finds them.
        if (endpoints.waiting() + due.length >= limits.destinationsWaitingMax) break
        const { destinationIds, nextInMillis } = yield* deliveryQueue.dueDestinations(partition, due.length)
        known.deliveriesAtMillis = Math.min(known.deliveriesAtMillis, yield* dueIn(nextInMillis))
        if (destinationIds.length === 0) break
        due.push(...destinationIds)
      }
      yield* Effect.forEach(due, wakeEndpoint, { discard: true })
    })

    const wakeDue = (nowMillis: number) =>
      [...held].flatMap(([partition, known]) =>
        known.deliveriesAtMillis <= nowMillis ? [wakeEndpoints(partition, known)] : [],
      )

    /** Hears when something of a held partition is due, since hints may be lost, and wakes what is. */
    const heed = Effect.fnUntraced(function* ({ partition, timersInMillis, deliveriesInMillis }: NextDue) {
      const known = held.get(partition)
      if (known === undefined) return
      if (timersInMillis !== undefined) timers.hint(partition, yield* dueIn(timersInMillis))
      if (deliveriesInMillis === 0) yield* wakeEndpoints(partition, known)
      else known.deliveriesAtMillis = yield* dueIn(deliveriesInMillis)
    })

    /** Looks at all held partitions: at their queues only where something is due in them. */
    const sweep = () =>
      partitions
        .nextDue([...held.keys()])
        .map((read) => Effect.flatMap(read, (found) => allTried(found.map(heed))))

    const round = Effect.gen(function* () {
      const nowMillis = yield* Clock.currentTimeMillis
      // The system clock may have been set back: a sweep ahead of it was some time ago, and another is due.
      if (state.sweptAtMillis > nowMillis) {
        state.sweptAtMillis = nowMillis
        state.lookAgain = true
      }
      const isSweep = state.lookAgain || nowMillis - state.sweptAtMillis >= limits.sweepIntervalMillis
      state.lookAgain = false
      const looks = isSweep ? sweep() : wakeDue(nowMillis)
      yield* Effect.tapError(allTried(looks), () =>
        Effect.sync(() => {
          state.lookAgain = true
        }),
      )
      if (isSweep) state.sweptAtMillis = nowMillis
    })

    const untilNextRound = Effect.gen(function* () {
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
        trims.release(partition)
      }
      for (const partition of now) {
        if (!held.has(partition)) {
          held.set(partition, { deliveriesAtMillis: 0 })
          timers.hold(partition)
          yield* trims.hold(partition)
          Queue.offerUnsafe(alarms, "ring")
        }
      }
    })

    const letGo = () => {
      for (const partition of held.keys()) {
        timers.release(partition)
        trims.release(partition)
      }
      held.clear()
    }

    const run = Effect.gen(function* () {
      while (!state.isStopped) {
        yield* round
        yield* untilNextRound
      }
    })

    const keepGoing = (name: string, program: Effect.Effect<void, { readonly reason: string }>) =>
      program.pipe(
        Effect.catch((error) => Effect.logDebug(`scheduler, ${name}: ${error.reason}`)),
        Effect.catchDefect((defect) => Effect.logError(`scheduler, ${name} failed and restarts`, defect)),
        Effect.andThen(Effect.sleep(100)),
        Effect.forever,
        Effect.forkScoped,
      )

    /** Prompt deliveries do not wait for a sweep. */
    const wakePromptly = Effect.flatMap(Queue.takeAll(wakes), (destinationIds) =>
      Effect.forEach(new Set(destinationIds), wakeEndpoint, { discard: true }),
    ).pipe(Effect.forever, Effect.forkScoped)

    yield* partitions.listen(onWake)
    yield* wakePromptly
    yield* keepGoing("round", run)
    yield* keepGoing(
      "rebalance",
      Effect.andThen(
        sharing.withPermits(1)(Effect.suspend(() => (state.isStopped ? Effect.void : rebalance))),
        Effect.sleep(rebalanceIntervalMillis - 100),
      ),
    )

    const lagMillis = (nowMillis: number) => Math.max(0, nowMillis - state.sweptAtMillis)
    yield* registerSchedulerMetrics({ partitionsHeld: () => held.size, lagMillis })

    return Scheduler.of({
      partitionsHeld: () => held.size,
      lagMillis,
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
