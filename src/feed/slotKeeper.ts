import { Deferred, Effect, Queue } from "effect"
import type { SlotAnswer, StreamOpening, StreamSlots } from "../../actors/ports/streamSlots.ts"

const away = { kind: "away" } as const

/** A seller's slots to release. */
interface PendingReleases {
  readonly ids: Set<string>
  /** Completes with the current attempt: true if all were released. */
  round: Deferred.Deferred<boolean>
  /** The last attempt failed; another follows. */
  hasFailed: boolean
}

/**
 * Takes and releases the slots of this process' streams, which are limited per seller over all processes
 * (`docs/contract/events.md#stream-limits`).
 *
 * A failed release is retried until the store accepts it: a slot forgotten by a living process would be lost to its
 * seller. The backlog is bounded: a seller whose releases fail gets no new slots.
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
   * Takes a slot. Releases of this seller that are pending come first, and failed ones are tried again: until then its slots
   * look fuller than they are, and a 429 would make a browser give up for good. Answers `away` if the store does not
   * answer. A take without an answer may have been applied, so it is released.
   */
  take(opening: StreamOpening): Effect.Effect<SlotAnswer | typeof away> {
    const { sellerId } = opening.feed
    const ask = this.#slots.take(opening).pipe(
      Effect.onError(() => Effect.sync(() => this.release(sellerId, opening.connectionId))),
      Effect.catch(() => Effect.succeed(away)),
    )
    return Effect.suspend((): Effect.Effect<SlotAnswer | typeof away> => {
      const pending = this.#pending.get(sellerId)
      if (pending === undefined) return ask
      this.#retry(sellerId, pending)
      return Effect.flatMap(Deferred.await(pending.round), (isReleased) =>
        isReleased ? this.take(opening) : Effect.succeed(away),
      )
    })
  }

  /** Releases a slot soon. */
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

  /** Queues failed releases again. */
  retryFailed(): void {
    for (const [sellerId, pending] of this.#pending) this.#retry(sellerId, pending)
  }

  #retry(sellerId: string, pending: PendingReleases): void {
    if (!pending.hasFailed) return
    pending.hasFailed = false
    Queue.offerUnsafe(this.#queue, sellerId)
  }

  /** Waits until nothing is left to release, for as long as the store is unavailable. */
  get settled(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const pending of this.#pending.values()) {
        return Effect.flatMap(Deferred.await(pending.round), () => this.settled)
      }
      return Effect.void
    })
  }

  /** Releases queued slots, forever; several workers may run. */
  get worker() {
    return Effect.forever(Effect.flatMap(Queue.take(this.#queue), (sellerId) => this.#releaseAll(sellerId)))
  }

  #releaseAll = Effect.fnUntraced({ self: this as SlotKeeper }, function* (sellerId: string) {
    const pending = this.#pending.get(sellerId)
    if (pending === undefined) return
    // Iterating a Set also visits members that are added meanwhile.
    for (const connectionId of pending.ids) {
      const isReleased = yield* this.#slots.release(sellerId, connectionId).pipe(
        Effect.as(true),
        Effect.catch(() => Effect.succeed(false)),
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("A stream's slot could not be released", defect), false),
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
