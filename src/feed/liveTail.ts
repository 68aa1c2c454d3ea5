import { Effect, Queue } from "effect"
import type { RestoreDocument } from "../../actors/event/envelope.ts"
import type { EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import { limits } from "../../schema/limits.ts"
import type { EventStream, Hub } from "./eventStream.ts"
import { feedLimits } from "./feedLimits.ts"
import { chunkEnd, FrameBatch } from "./frames.ts"
import { compareEntryIds } from "./position.ts"
import type { Streams } from "./streams.ts"

/** Counts frames of events over all streams. */
export interface FrameCounter {
  framesSent: number
}

/** What the live tail needs of the rest. */
export interface LiveTailParts {
  readonly log: EventLog["Service"]
  readonly restore: RestoreDocument
  readonly streams: Streams
  readonly counter: FrameCounter
  readonly queue: Queue.Queue<Hub>
}

/**
 * Reads what was appended to a feed once, and writes it to all its live streams.
 *
 * Order and completeness rest on one rule: `hub.last` moves together with the writes, in one turn of the event loop,
 * and a stream joins only at or beyond it. A read that finds it moved drops what is at or before it.
 */
export class LiveTail {
  private readonly parts: LiveTailParts

  constructor(parts: LiveTailParts) {
    this.parts = parts
  }

  /** A hint: the feed has grown to `entryId`. Many of them meanwhile make one read. */
  appended(hub: Hub, entryId: string): void {
    if (hub.live.size > 0 && compareEntryIds(entryId, hub.last) <= 0) return
    this.want(hub)
  }

  /** Has the hub read what is after its last entry, now or once it has live streams. */
  want(hub: Hub): void {
    hub.isWanted = true
    if (hub.isReading || hub.live.size === 0) return
    hub.isReading = true
    Queue.offerUnsafe(this.parts.queue, hub)
  }

  /** Lets a stream that has everything up to `position` go on with its hub; false where the hub is further already. */
  attach(stream: EventStream, position: string): boolean {
    const hub = stream.hub
    const beyond = compareEntryIds(position, hub.last)
    if (beyond < 0) return false
    if (hub.live.size === 0) hub.last = position
    else if (beyond > 0) stream.ahead = position
    hub.live.add(stream)
    stream.phase = "live"
    stream.replay = undefined
    if (hub.isWanted) this.want(hub)
    return true
  }

  /** Reads hubs that have not been read for long, in case their hints got lost. */
  readOverdue(hubs: Iterable<Hub>, nowMillis: number): void {
    for (const hub of hubs) {
      const isOverdue = nowMillis - hub.readAtMillis >= feedLimits.safetyReadMillis
      if (isOverdue && hub.live.size > 0 && !hub.isReading) this.want(hub)
    }
  }

  /** Reads queued hubs, for ever; several may run, each hub is with one of them. */
  get worker() {
    return Effect.forever(Effect.flatMap(Queue.take(this.parts.queue), (hub) => this.readSafely(hub)))
  }

  /** Writes entries, oldest first, to every live stream; those at or before `hub.last` are left out. */
  deliver(hub: Hub, entries: ReadonlyArray<EventEntry>): void {
    const fresh = isAfter(entries[0], hub.last)
      ? entries
      : entries.filter((entry) => isAfter(entry, hub.last))
    const newest = fresh.at(-1)
    if (newest === undefined) return
    const batch = new FrameBatch(hub.feed, fresh, this.parts.restore)
    hub.last = newest.entryId
    for (const stream of hub.live) this.send(stream, batch)
  }

  private send(stream: EventStream, batch: FrameBatch): void {
    const { streams, counter } = this.parts
    if (streams.isSlow(stream)) {
      streams.cutSlow(stream)
      return
    }
    const { types, ahead } = stream
    if (types === undefined && ahead === undefined) {
      stream.connection?.write(batch.whole())
      counter.framesSent += batch.entries.length
      return
    }
    for (const [index, entry] of batch.entries.entries()) {
      if (ahead !== undefined && !isAfter(entry, ahead)) continue
      stream.ahead = undefined
      if (types !== undefined && !types.matches(entry.type)) continue
      stream.connection?.write(batch.frame(index))
      counter.framesSent++
    }
  }

  private read = Effect.fnUntraced({ self: this as LiveTail }, function* (hub: Hub) {
    while (hub.isWanted && hub.live.size > 0) {
      hub.isWanted = false
      const entries = yield* this.parts.log.readAfter(hub.feed, hub.last, limits.replayBatchEntries)
      hub.readAtMillis = this.parts.streams.nowMillis()
      if (entries.length >= limits.replayBatchEntries) hub.isWanted = true
      for (let start = 0; start < entries.length; ) {
        if (start > 0) yield* Effect.yieldNow
        if (hub.live.size === 0) {
          hub.isWanted = true
          break
        }
        const end = chunkEnd(entries, start, feedLimits.liveChunkBytes)
        this.deliver(hub, start === 0 && end === entries.length ? entries : entries.slice(start, end))
        start = end
      }
    }
  })

  /** A store that does not answer, or a defect, ends the streams of this hub alone; they come back by themselves. */
  private readSafely(hub: Hub) {
    return this.read(hub).pipe(
      Effect.catchTag("StoreUnavailable", () => this.closeLive(hub)),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("A feed could not be read", defect), this.closeLive(hub)),
      ),
      Effect.andThen(
        Effect.sync(() => {
          hub.isReading = false
          if (hub.isWanted) this.want(hub)
        }),
      ),
    )
  }

  private closeLive(hub: Hub) {
    return Effect.sync(() => {
      hub.isWanted = true
      for (const stream of hub.live) this.parts.streams.close(stream, "unavailable")
    })
  }
}

const isAfter = (entry: EventEntry | undefined, position: string): boolean =>
  entry !== undefined && compareEntryIds(entry.entryId, position) > 0
