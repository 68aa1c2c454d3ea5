/**
 * How a feed's new entries are read, once for all its live streams:
 * 1. A hint or the safety look wants the hub read; it is queued unless it is being read already.
 * 2. A worker reads the entries after `hub.last`, in batches.
 * 3. Each chunk is encoded once and written to every live stream, and `hub.last` moves on, in one step of the event loop.
 * 4. Hints that arrived meanwhile lead to one further read.
 *
 * A stream joins only at `hub.last` or beyond, and `hub.last` never goes back: so no stream misses an entry or gets one twice.
 * If the store does not answer in 2, this hub's streams end with `reconnect`.
 */

import { Effect, Queue } from "effect"
import type { EventLog } from "../../actors/ports/eventLog.ts"
import { limits } from "../../schema/limits.ts"
import type { FanOut } from "./fanOut.ts"
import { feedLimits } from "./feedLimits.ts"
import type { FeedStream, Following, Hub } from "./feedStream.ts"
import { chunkEnd } from "./frames.ts"
import { compareEntryIds } from "./position.ts"
import type { Streams } from "./streams.ts"

/** The other parts that the live tail uses. */
export interface LiveTailParts {
  readonly log: EventLog["Service"]
  readonly streams: Streams
  readonly fanOut: FanOut
  readonly queue: Queue.Queue<Hub>
}

/** Reads new entries of feeds. A read that finds `hub.last` advanced drops the entries up to it. */
export class LiveTail {
  readonly #parts: LiveTailParts

  constructor(parts: LiveTailParts) {
    this.#parts = parts
  }

  /** Handles a hint that the feed has grown to `entryId`. Hints that arrive during a read lead to one further read. */
  appended(hub: Hub, entryId: string): void {
    if (hub.isFollowed && compareEntryIds(entryId, hub.last) <= 0) return
    this.want(hub)
  }

  /** Makes the hub read past its last entry, now or once it is followed. */
  want(hub: Hub): void {
    hub.isWanted = true
    if (hub.isReading || !hub.isFollowed) return
    hub.isReading = true
    Queue.offerUnsafe(this.#parts.queue, hub)
  }

  /** Lets a stream that has everything up to `position` continue with its hub; false if the hub is already further. */
  attach(stream: FeedStream, position: string): boolean {
    const hub = stream.hub
    const beyond = compareEntryIds(position, hub.last)
    if (beyond < 0) return false
    if (!hub.isFollowed) hub.last = position
    else if (beyond > 0) stream.ahead = position
    hub.live.add(stream)
    stream.phase = "live"
    stream.replay = undefined
    if (hub.isWanted) this.want(hub)
    return true
  }

  /**
   * Lets a stream follow its charge from now on. `newest` was read before anyone followed this hub. Start there, unless another
   * follower already moved the hub further: moving it back would skip the entries between.
   */
  follow(stream: FeedStream, following: Following, newest: string): void {
    const hub = stream.hub
    if (!hub.isFollowed && compareEntryIds(newest, hub.last) > 0) hub.last = newest
    stream.following = following
    hub.addFollower(stream, following)
    if (hub.isWanted) this.want(hub)
  }

  /** Reads hubs that have not been read for long, in case their hints got lost. */
  readOverdue(hubs: Iterable<Hub>, nowMillis: number): void {
    for (const hub of hubs) {
      const isOverdue = nowMillis - hub.readAtMillis >= feedLimits.safetyReadMillis
      if (isOverdue && hub.isFollowed && !hub.isReading) this.want(hub)
    }
  }

  /** Reads queued hubs, forever. Several workers may run; each hub is with one of them. */
  get worker() {
    return Effect.forever(Effect.flatMap(Queue.take(this.#parts.queue), (hub) => this.#readSafely(hub)))
  }

  #read = Effect.fnUntraced({ self: this as LiveTail }, function* (hub: Hub) {
    while (hub.isWanted && hub.isFollowed) {
      hub.isWanted = false
      const entries = yield* this.#parts.log.readAfter(hub.feed, hub.last, limits.replayBatchEntries)
      hub.readAtMillis = this.#parts.streams.nowMillis()
      if (entries.length >= limits.replayBatchEntries) hub.isWanted = true
      for (let start = 0; start < entries.length; ) {
        if (start > 0) yield* Effect.yieldNow
        if (!hub.isFollowed) {
          hub.isWanted = true
          break
        }
        const end = chunkEnd(entries, start, feedLimits.liveChunkBytes)
        this.#parts.fanOut.deliver(
          hub,
          start === 0 && end === entries.length ? entries : entries.slice(start, end),
        )
        start = end
      }
    }
  })

  /** An unavailable store or a defect only ends the streams of this hub; their clients reconnect. */
  #readSafely(hub: Hub) {
    return this.#read(hub).pipe(
      Effect.catchTag("StoreUnavailable", () => this.#closeLive(hub)),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("A feed could not be read", defect), this.#closeLive(hub)),
      ),
      Effect.andThen(
        Effect.sync(() => {
          hub.isReading = false
          if (hub.isWanted) this.want(hub)
        }),
      ),
    )
  }

  #closeLive(hub: Hub) {
    return Effect.sync(() => this.close(hub))
  }

  /** Ends the hub's streams with `reconnect`: their clients resume from their last ids. */
  close(hub: Hub): void {
    hub.isWanted = true
    const { streams } = this.#parts
    for (const stream of hub.live) streams.close(stream, "unavailable")
    for (const followers of hub.followers.values()) {
      // One without a connection is turned away when it gets it; until then the hub must not be read for it.
      for (const stream of followers) {
        streams.abandon(stream)
        streams.close(stream, "unavailable")
      }
    }
  }
}
