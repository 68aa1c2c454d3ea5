import { Deferred, Effect, Queue } from "effect"
import type { SlotAnswer, StreamSlots } from "../../actors/ports/streamSlots.ts"

/** Slots of one seller that are to be given back. */
interface PendingReleases {
  readonly ids: Set<string>
  /** Ends with the current try: true when all are given back. */
  round: Deferred.Deferred<boolean>
  /** The last try failed; another follows. */
  hasFailed: boolean
}

/**
 * Takes and gives back the slots of this process' streams (spec 4.2: ten per seller over all processes).
 *
 * A release that fails is tried again until the store took it: a slot that this living process forgot would be lost
 * to its seller. What waits is bounded: a seller whose releases fail gets no new slots, so no more than were taken.
 */
export class SlotKeeper {
  readonly #slots: StreamSlots["Service"]
  readonly #queue: Queue.Queue<string>
  readonly #pending = new Map<string, PendingReleases>()

  constructor(slots: StreamSlots["Service"], queue: Queue.Queue<string>) {
    this.#slots = slots
    this.#queue = queue
  }

  /**
   * Takes a slot; `away` when the store does not answer, and while releases of this seller are not through: until
   * then its slots look fuller than they are, and a 429 would make a browser give up for good (decisions 5).
   * A take without an answer may have been applied (rule 7), so it is released.
   */
  take(sellerId: string, connectionId: string): Effect.Effect<SlotAnswer | "away"> {
    const ask = this.#slots.take(sellerId, connectionId).pipe(
      Effect.onError(() => Effect.sync(() => this.release(sellerId, connectionId))),
      Effect.catch(() => Effect.succeed("away" as const)),
    )
    return Effect.suspend((): Effect.Effect<SlotAnswer | "away"> => {
      const pending = this.#pending.get(sellerId)
      if (pending === undefined) return ask
      if (pending.hasFailed) return Effect.succeed("away")
      return Effect.flatMap(Deferred.await(pending.round), (isReleased) =>
        isReleased ? this.take(sellerId, connectionId) : Effect.succeed("away" as const),
      )
    })
  }

  /** Gives a slot back soon. */
  release(sellerId: string, connectionId: string): void {
    const pending = this.#pending.get(sellerId)
    if (pending !== undefined) {
      pending.ids.add(connectionId)
      return
    }
    const ids = new Set([connectionId])
    this.#pending.set(sellerId, { ids, round: Deferred.makeUnsafe(), hasFailed: false })
    Queue.offerUnsafe(this.#queue, sellerId)
  }

  /** Queues the releases that failed once more. */
  retryFailed(): void {
    for (const [sellerId, pending] of this.#pending) {
      if (!pending.hasFailed) continue
      pending.hasFailed = false
      Queue.offerUnsafe(this.#queue, sellerId)
    }
  }

  /** Waits until nothing is to be given back any more; as long as the store is away. */
  get settled(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const pending of this.#pending.values()) {
        return Effect.flatMap(Deferred.await(pending.round), () => this.settled)
      }
      return Effect.void
    })
  }

  /** Gives back what is queued, for ever; several may run. */
  get worker() {
    return Effect.forever(Effect.flatMap(Queue.take(this.#queue), (sellerId) => this.#releaseAll(sellerId)))
  }

  #releaseAll = Effect.fnUntraced({ self: this as SlotKeeper }, function* (sellerId: string) {
    const pending = this.#pending.get(sellerId)
    if (pending === undefined) return
    // A Set's iteration also visits what is added meanwhile.
    for (const connectionId of pending.ids) {
      const isReleased = yield* this.#slots.release(sellerId, connectionId).pipe(
        Effect.as(true),
        Effect.catch(() => Effect.succeed(false)),
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("A stream's slot could not be given back", defect), false),
        ),
      )
      if (!isReleased) return this.#endRound(pending, false)
      pending.ids.delete(connectionId)
    }
    this.#pending.delete(sellerId)
    this.#endRound(pending, true)
  })

  #endRound(pending: PendingReleases, isReleased: boolean): void {
    const round = pending.round
    pending.round = Deferred.makeUnsafe()
    pending.hasFailed = !isReleased
    Deferred.doneUnsafe(round, Effect.succeed(isReleased))
  }
}
