import type { RestoreDocument } from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { type FeedStream, type Hub, isSlow } from "./feedStream.ts"
import { FrameBatch } from "./frames.ts"
import { compareEntryIds } from "./position.ts"

/** Counts event frames over all streams. */
export interface FrameCounter {
  framesSent: number
}

/** Writes new entries of a feed to all its live streams. */
export class FanOut {
  readonly #restore: RestoreDocument
  readonly #counter: FrameCounter
  readonly #cutSlow: (stream: FeedStream) => void

  constructor(restore: RestoreDocument, counter: FrameCounter, cutSlow: (stream: FeedStream) => void) {
    this.#restore = restore
    this.#counter = counter
    this.#cutSlow = cutSlow
  }

  /**
   * Writes entries, oldest first, to every live stream and advances `hub.last`; entries up to it are skipped. Readers
   * with too much unsent data are cut instead.
   */
  deliver(hub: Hub, entries: ReadonlyArray<EventEntry>): void {
    const fresh = isAfter(entries[0], hub.last)
      ? entries
      : entries.filter((entry) => isAfter(entry, hub.last))
    const newest = fresh.at(-1)
    if (newest === undefined) return
    const batch = new FrameBatch(hub.feed, fresh, this.#restore)
    hub.last = newest.entryId
    for (const stream of hub.live) {
      if (isSlow(stream)) this.#cutSlow(stream)
      else this.#send(stream, batch)
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
