import { Effect, Queue } from "effect"
import type { FeedHints } from "../../actors/ports/feedHints.ts"
import type { Feed } from "../../schema/ids.ts"
import { feedLimits } from "./feedLimits.ts"
import { Hub } from "./feedStream.ts"

const nameOf = (feed: Feed): string => `${feed.sellerId}:${feed.mode}`

/** The hubs of a process, and their hints. */
export class Hubs {
  readonly #byName = new Map<string, Hub>()
  readonly #hints: FeedHints["Service"]
  readonly #retiring: Queue.Queue<Hub>
  /** Breaks of the hint channel so far: hints that were starting during a break do not count as started. */
  #breaks = 0

  constructor(hints: FeedHints["Service"], retiring: Queue.Queue<Hub>) {
    this.#hints = hints
    this.#retiring = retiring
  }

  get size(): number {
    return this.#byName.size
  }

  all(): IterableIterator<Hub> {
    return this.#byName.values()
  }

  find(feed: Feed): Hub | undefined {
    return this.#byName.get(nameOf(feed))
  }

  /** The feed's hub, with one more user; `leave` it in the end. */
  enter(feed: Feed): Hub {
    const name = nameOf(feed)
    let hub = this.#byName.get(name)
    if (hub === undefined) {
      hub = new Hub(feed)
      this.#byName.set(name, hub)
    }
    hub.users++
    return hub
  }

  leave(hub: Hub, nowMillis: number): void {
    hub.users--
    if (hub.users === 0) hub.idleSinceMillis = nowMillis
  }

  /** Starts the hub's hints if they do not arrive. Afterwards one read is due, for entries appended before. */
  watch(hub: Hub) {
    if (hub.hintsFlow) return Effect.void
    return hub.watchLock.withPermit(
      Effect.suspend(() => {
        if (hub.hintsFlow) return Effect.void
        hub.isWatched = true
        const breaks = this.#breaks
        return Effect.map(this.#hints.watch(hub.feed), () => {
          hub.hintsFlow = breaks === this.#breaks
          hub.isWanted = true
        })
      }),
    )
  }

  /** The hint channel broke: every hub must restart its hints. */
  hintsLost(): void {
    this.#breaks++
    for (const hub of this.#byName.values()) hub.hintsFlow = false
  }

  /** Queues hubs that have been unused for a while to be forgotten. */
  retireIdle(nowMillis: number): void {
    for (const hub of this.#byName.values()) {
      const isIdle = hub.users === 0 && nowMillis - hub.idleSinceMillis >= feedLimits.hubIdleMillis
      if (!isIdle) continue
      hub.idleSinceMillis = nowMillis
      Queue.offerUnsafe(this.#retiring, hub)
    }
  }

  /** Stops the hints of queued hubs and forgets them, unless a stream has come meanwhile. */
  get retirement() {
    return Effect.forever(Effect.flatMap(Queue.take(this.#retiring), (hub) => this.#retire(hub)))
  }

  #retire(hub: Hub) {
    const end = Effect.suspend(() => {
      if (hub.users > 0) return Effect.void
      const wasWatched = hub.isWatched
      hub.isWatched = false
      hub.hintsFlow = false
      return Effect.map(wasWatched ? this.#hints.unwatch(hub.feed) : Effect.void, () => {
        const isForgotten = hub.users === 0 && this.#byName.get(nameOf(hub.feed)) === hub
        if (isForgotten) this.#byName.delete(nameOf(hub.feed))
      })
    })
    return Effect.catchDefect(hub.watchLock.withPermit(end), (defect) =>
      Effect.logError("A feed's hints could not be stopped", defect),
    )
  }
}
