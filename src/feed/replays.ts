import { Effect, Queue } from "effect"
import { type RenderCharge, renderEventFrame } from "../../actors/event/envelope.ts"
import type { EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import { eventIdOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { FrameCounter } from "./fanOut.ts"
import { feedLimits } from "./feedLimits.ts"
import type { FeedStream, Replay } from "./feedStream.ts"
import { gapText } from "./frames.ts"
import type { LiveTail } from "./liveTail.ts"
import { compareEntryIds } from "./position.ts"
import type { Streams } from "./streams.ts"

/** The other parts that replays use. */
export interface ReplayParts {
  readonly log: EventLog["Service"]
  readonly renderCharge: RenderCharge
  readonly streams: Streams
  readonly tail: LiveTail
  readonly counter: FrameCounter
  readonly queue: Queue.Queue<FeedStream>
}

/**
 * How many entries to request next: as many as may be unsent at once, judging by the size of the last batch, because
 * what is read but not written must be read again; at most twice as many as before, which applies when the filter
 * matched few.
 */
const nextEntriesMax = (asked: number, taken: number, textLength: number): number => {
  const fitting = textLength === 0 ? asked * 2 : Math.ceil((taken * feedLimits.replayChunkBytes) / textLength)
  const wanted = Math.max(Math.min(fitting, asked * 2), feedLimits.replayEntriesMin)
  return Math.min(wanted, limits.replayBatchEntries)
}

/**
 * Brings streams from their position to the live tail, one batch at a time and no faster than their readers take it.
 * Between batches a stream holds only its position; whatever its reader did not take is read again.
 */
export class Replays {
  started = 0
  readonly #parts: ReplayParts

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  /** Starts a stream after `position`; with nothing to replay it is live at once. */
  start(stream: FeedStream, position: string, isCaughtUp: boolean): void {
    if (isCaughtUp && this.#parts.tail.attach(stream, position)) return
    this.started++
    stream.replay = {
      position,
      entriesMax: feedLimits.replayEntriesFirst,
      seq: undefined,
      waitingSinceMillis: undefined,
    }
    Queue.offerUnsafe(this.#parts.queue, stream)
  }

  /** Replays batches of queued streams, forever. Several workers may run; each stream is with one of them. */
  get worker() {
    return Effect.forever(Effect.flatMap(Queue.take(this.#parts.queue), (stream) => this.#stepSafely(stream)))
  }

  #step = Effect.fnUntraced({ self: this as Replays }, function* (stream: FeedStream) {
    const replay = stream.replay
    if (replay === undefined) return
    const asked = replay.entriesMax
    const hubLast = stream.hub.last
    const entries = yield* this.#parts.log.readAfter(stream.hub.feed, replay.position, asked)
    // The stream may have ended while the store was being read.
    if (stream.replay !== replay) return
    const { taken, textLength } = this.#write(stream, replay, entries)
    replay.entriesMax = nextEntriesMax(asked, taken, textLength)
    if (taken === entries.length && entries.length < asked) {
      // Everything has been read, up to the hub's last entry at that time, which may have been trimmed since.
      if (compareEntryIds(hubLast, replay.position) > 0) replay.position = hubLast
      const isPaced = (stream.connection?.unsentBytes() ?? 0) <= feedLimits.attachUnsentBytesMax
      if (isPaced && this.#parts.tail.attach(stream, replay.position)) return
    }
    this.#continueWhenDrained(stream, replay)
  })

  /**
   * Writes as much as may be unsent at once and advances the position; returns the number of entries used and their
   * text length.
   */
  #write(stream: FeedStream, replay: Replay, entries: ReadonlyArray<EventEntry>) {
    const feed = stream.hub.feed
    let text = ""
    let frames = 0
    let taken = 0
    for (const entry of entries) {
      if (text.length >= feedLimits.replayChunkBytes) break
      if (replay.seq !== undefined && entry.seq !== replay.seq + 1) {
        text += gapText({
          requested: eventIdOf(feed, replay.position),
          oldest_event_id: eventIdOf(feed, entry.entryId),
        })
      }
      if (stream.types === undefined || stream.types.matches(entry.type)) {
        text += renderEventFrame(feed, entry, this.#parts.renderCharge)
        frames++
      }
      replay.position = entry.entryId
      replay.seq = entry.seq
      taken++
    }
    if (text !== "") stream.connection?.write(Buffer.from(text))
    this.#parts.counter.framesSent += frames
    return { taken, textLength: text.length }
  }

  #continueWhenDrained(stream: FeedStream, replay: Replay): void {
    replay.waitingSinceMillis = this.#parts.streams.nowMillis()
    stream.connection?.whenDrained(() => {
      if (stream.replay !== replay) return
      replay.waitingSinceMillis = undefined
      Queue.offerUnsafe(this.#parts.queue, stream)
    })
  }

  #stepSafely(stream: FeedStream) {
    const close = Effect.sync(() => this.#parts.streams.close(stream, "unavailable"))
    return this.#step(stream).pipe(
      Effect.catchTag("StoreUnavailable", () => close),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("A replay could not be read", defect), close),
      ),
    )
  }
}
