import { Clock, Effect, FiberSet, Queue } from "effect"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { DueWindow } from "../../actors/runtime/dueWindow.ts"
import { limits } from "../../schema/limits.ts"
import { makeFireTimers } from "./fireTimers.ts"

/** State of the timers of a held partition. */
interface PartitionTimers {
  /** When the next one is due, or earlier. */
  dueAtMillis: number
  isClaiming: boolean
  /** The store did not answer last time: the partition must not take the room of others. */
  hasFailed: boolean
}

/** Delay before timers of a partition are claimed again after a failure. */
const claimAgainMillis = 100

/** The time that is `millis` from now; Infinity for undefined. */
export const dueIn = (millis: number | undefined) =>
  millis === undefined
    ? Effect.succeed(Number.POSITIVE_INFINITY)
    : Effect.map(Clock.currentTimeMillis, (now) => now + millis)

/**
 * Fires due timers of the held partitions: a few at a time, partition by partition, so that requests go in between
 * (docs/decisions/0018-overload-refused-not-queued.md). Claimed timers fire at once, so that no lease ends while its
 * timer waits.
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

  /** Claims up to `taken` timers of a partition and fires them. */
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

  /**
   * One round over the partitions with due timers while there is room; a partition that found none is first in the
   * next round.
   */
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
      // A due one waits for room, and whoever frees room rings.
      if (!known.isClaiming && known.dueAtMillis > nowMillis) atMillis = Math.min(atMillis, known.dueAtMillis)
    }
    yield* Effect.timeoutOption(Queue.take(bell), atMillis - nowMillis)
  })

  yield* Effect.andThen(claimDue, untilNextDue).pipe(
    Effect.catchDefect((defect) => Effect.logError("the run of due timers failed and restarts", defect)),
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
    /** Announces that a timer of a partition is due at a time, by a hint or a look. */
    hint: (partition: number, dueMillis: number) => {
      const known = held.get(partition)
      if (known === undefined || known.dueAtMillis <= dueMillis) return
      known.dueAtMillis = dueMillis
      ring()
    },
  }
})
