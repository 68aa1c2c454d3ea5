import type { RenderCharge } from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { type FeedStream, type Hub, isSlow } from "./feedStream.ts"
import { FrameBatch, statusOfEvent } from "./frames.ts"
import { compareEntryIds } from "./position.ts"

/** Counts event frames over all streams. */
export interface FrameCounter {
  framesSent: number
}

/** How streams end by what is delivered. */
export interface FanOutEnds {
  /** Cuts a reader with too much unsent data. */
  readonly cutSlow: (stream: FeedStream) => void
  /** Tells a stream that follows a charge its status. */
  readonly tellStatus: (stream: FeedStream, status: TransactionStatus) => void
}

/** Writes new entries of a feed to all its live streams, and the statuses of charges to those that follow them. */
export class FanOut {
  readonly #renderCharge: RenderCharge
  readonly #counter: FrameCounter
  readonly #ends: FanOutEnds

  constructor(renderCharge: RenderCharge, counter: FrameCounter, ends: FanOutEnds) {
    this.#renderCharge = renderCharge
    this.#counter = counter
    this.#ends = ends
  }

  /**
   * Writes entries, oldest first, to every live stream and follower and advances `hub.last`; entries up to it are skipped. Readers
   * with too much unsent data are cut instead.
   */
  deliver(hub: Hub, entries: ReadonlyArray<EventEntry>): void {
    const fresh = isAfter(entries[0], hub.last)
      ? entries
      : entries.filter((entry) => isAfter(entry, hub.last))
    const newest = fresh.at(-1)
    if (newest === undefined) return
    const batch = new FrameBatch(hub.feed, fresh, this.#renderCharge)
    hub.last = newest.entryId
    for (const stream of hub.live) {
      if (isSlow(stream)) this.#ends.cutSlow(stream)
      else this.#send(stream, batch)
    }
    if (hub.followers.size > 0) this.#tellFollowers(hub, fresh)
  }

  #tellFollowers(hub: Hub, entries: ReadonlyArray<EventEntry>): void {
    for (const { type, resourceId } of entries) {
      const followers = hub.followers.get(resourceId)
      const status = followers === undefined ? undefined : statusOfEvent(type)
      if (followers === undefined || status === undefined) continue
      for (const stream of followers) this.#ends.tellStatus(stream, status)
    }
  }

  #send(stream: FeedStream, batch: FrameBatch): void {
    const { types, ahead } = stream
    if (types === undefined && ahead === undefined) {
      stream.connection?.write(batch.whole())
      this.#counter.framesSent += batch.entries.length
      return
    }
    for (const [index, entry] of batch.entries.entries()) {
      if (ahead !== undefined && !isAfter(entry, ahead)) continue
      stream.ahead = undefined
      if (types !== undefined && !types.matches(entry.type)) continue
      stream.connection?.write(batch.frame(index))
      this.#counter.framesSent++
    }
  }
}

const isAfter = (entry: EventEntry | undefined, position: string): boolean =>
  entry !== undefined && compareEntryIds(entry.entryId, position) > 0
