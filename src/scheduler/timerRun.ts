import { Clock, Effect, FiberSet, Queue } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { DueWindow } from "../../actors/runtime/dueWindow.ts"
import { limits } from "../../schema/limits.ts"
import { makeFireTimers } from "./fireTimers.ts"

/** What is known of a held partition's timers. */
interface PartitionTimers {
  /** When the next one is due; never later than it is. */
  dueAtMillis: number
  isClaiming: boolean
  /** Its store did not answer last time: it must not hold the room of the others. */
  hasFailed: boolean
}

/** A partition whose timers could not be claimed is tried again after this. */
const claimAgainMillis = 100

/** When something is due that is due in so long. */
export const dueIn = (millis: number | undefined) =>
  millis === undefined
    ? Effect.succeed(Number.POSITIVE_INFINITY)
    : Effect.map(Clock.currentTimeMillis, (now) => now + millis)

/**
 * Makes what fires the due timers of the held partitions: a few at a time, of one partition after the other, so that
 * requests go between them. What is claimed is fired at once, so that no lease ends while its timer waits.
 */
export const makeTimerRun = Effect.gen(function* () {
  const timerQueue = yield* TimerQueue
  const clock = yield* Clock.Clock
  const fireTimers = yield* makeFireTimers
  const firing = yield* FiberSet.make()
  const bell = yield* Queue.sliding<"ring">(1)
  const held = new Map<number, PartitionTimers>()
  const window = new DueWindow({
    sizeMin: limits.dueTimersInHandMin,
    sizeMax: limits.dueTimersInHandMax,
    requests: yield* RequestDelay,
    perRequest: limits.dueWorkPerRequest,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
  })

  const ring = () => Queue.offerUnsafe(bell, "ring")
  const giveBack = (count: number) => {
    window.give(count)
    ring()
  }

  const claim = Effect.fnUntraced(function* (partition: number, known: PartitionTimers, taken: number) {
    const claimed = yield* timerQueue.claim(partition, taken).pipe(
      Effect.tapCause((cause) =>
        Effect.logDebug(`timers of partition ${partition} are claimed again`, cause),
      ),
      Effect.catchCause(() => Effect.succeed(undefined)),
    )
    known.isClaiming = false
    known.hasFailed = claimed === undefined
    const nextAtMillis = yield* dueIn(claimed === undefined ? claimAgainMillis : claimed.nextInMillis)
    known.dueAtMillis = Math.min(known.dueAtMillis, nextAtMillis)
    return claimed?.due ?? []
  })

  /** Claims as many timers of a partition as were taken of the window, and fires them. */
  const claimAndFire = Effect.fnUntraced(function* (
    partition: number,
    known: PartitionTimers,
    taken: number,
  ) {
    const due = yield* Effect.onError(claim(partition, known, taken), () =>
      Effect.sync(() => giveBack(taken)),
    )
    giveBack(taken - due.length)
    yield* Effect.ensuring(
      fireTimers(due),
      Effect.sync(() => giveBack(due.length)),
    )
  })

  /** One round over the partitions with something due, while there is room; whoever had none is first in the next. */
  const claimDue = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    for (const [partition, known] of [...held]) {
      if (known.isClaiming || known.dueAtMillis > nowMillis) continue
      const taken = window.take(known.hasFailed ? 1 : limits.timersPerClaim)
      if (taken === 0) return
      known.isClaiming = true
      known.dueAtMillis = Number.POSITIVE_INFINITY
      held.delete(partition)
      held.set(partition, known)
      yield* FiberSet.run(firing, claimAndFire(partition, known, taken), { startImmediately: true })
    }
  })

  const untilNextDue = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    let atMillis = nowMillis + limits.sweepIntervalMillis
    for (const known of held.values()) {
      // One that is due already waits for room: what gives it back rings.
      if (!known.isClaiming && known.dueAtMillis > nowMillis) atMillis = Math.min(atMillis, known.dueAtMillis)
    }
    yield* Effect.timeoutOption(Queue.take(bell), atMillis - nowMillis)
  })

  yield* Effect.andThen(claimDue, untilNextDue).pipe(
    Effect.catchDefect((defect) => Effect.logError("the run of due timers broke and goes on", defect)),
    Effect.forever,
    Effect.forkScoped,
  )

  return {
    hold: (partition: number) => {
      held.set(partition, { dueAtMillis: 0, isClaiming: false, hasFailed: false })
      ring()
    },
    release: (partition: number) => {
      held.delete(partition)
    },
    /** A timer of a partition is due at a time. */
    hint: (partition: number, dueMillis: number) => {
      const known = held.get(partition)
      if (known === undefined || known.dueAtMillis <= dueMillis) return
      known.dueAtMillis = dueMillis
      ring()
    },
    /** Asks when a partition's next timer is due, for hints may be lost. */
    look: Effect.fnUntraced(function* (partition: number) {
      const { nextInMillis } = yield* timerQueue.claim(partition, 0)
      const known = held.get(partition)
      if (known === undefined) return
      known.dueAtMillis = Math.min(known.dueAtMillis, yield* dueIn(nextInMillis))
      ring()
    }),
  }
})
