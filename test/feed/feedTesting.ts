import { Effect, Layer } from "effect"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { type EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import { StoreUnavailable } from "../../actors/ports/store.ts"
import { type SlotAnswer, StreamSlots } from "../../actors/ports/streamSlots.ts"
import { eventTypeOf } from "../../schema/events.ts"
import { eventIdOf, type Feed, makeId } from "../../schema/ids.ts"
import { FeedHub, FeedHubLive, type StreamRequest } from "../../src/feed/hub.ts"
import { compareEntryIds } from "../../src/feed/position.ts"
import type { StreamConnection } from "../../src/feed/streamConnection.ts"

export const sellerId = makeId("sel_", 1_700_000_000_000, 7, new Uint8Array(14).fill(3))
export const feed: Feed = { sellerId, mode: "live" }
export const foreignFeed: Feed = { sellerId, mode: "test" }

const away = (operation: string) => Effect.fail(new StoreUnavailable({ operation, reason: "test" }))

/** Lets `turns` turns of the event loop pass: enough for all that was set off to have come to rest. */
export const turns = (count: number): Effect.Effect<void> =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

/** Long enough for any chain of reads in these tests that has no replay of thousands in it. */
export const settle = turns(100)

/** An event log of one feed in memory, whose reads take as many turns as the test says. */
export class TestLog {
  readonly entries: Array<EventEntry> = []
  newest = "0-0"
  reads = 0
  isAway = false
  /** Turns before and after the moment a read looks. */
  nextReadTurns: () => readonly [number, number] = () => [0, 0]
  private millis = 1_763_683_655_000

  append(type = "transaction.paid", data = '{"id":"txn_1","document":"enc:v1:x"}'): EventEntry {
    const seq = (this.entries.at(-1)?.seq ?? this.lastSeq) + 1
    // Two in a millisecond, then a hole that holds positions without an entry.
    if (seq % 2 === 1) this.millis += 10
    const entryId = `${this.millis}-${seq % 2 === 0 ? 1 : 0}`
    const internal = eventTypeOf(type)?.internal === true
    const entry = { entryId, seq, type, resourceId: "txn_1", internal, data }
    this.entries.push(entry)
    this.newest = entryId
    this.lastSeq = seq
    return entry
  }

  appendMany(count: number, type?: string, data?: string): void {
    for (let i = 0; i < count; i++) this.append(type, data)
  }

  /** Drops the oldest entries, as retention does. */
  trim(count: number): void {
    this.entries.splice(0, count)
  }

  idOf(index: number): string {
    const entry = this.entries.at(index)
    if (entry === undefined) throw new Error(`no entry ${index}`)
    return eventIdOf(feed, entry.entryId)
  }

  private lastSeq = 0

  private look<A>(operation: string, read: () => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.suspend(() => {
      const [before, after] = this.nextReadTurns()
      const answer = Effect.suspend(() => (this.isAway ? away(operation) : Effect.succeed(read())))
      return turns(before).pipe(
        Effect.andThen(answer),
        Effect.tap(() => turns(after)),
      )
    })
  }

  readonly service: EventLog["Service"] = EventLog.of({
    readAfter: (asked, after, entriesMax) =>
      this.look("readAfter", () => {
        this.reads++
        if (asked.mode !== feed.mode) return []
        const start = this.entries.findIndex((entry) => compareEntryIds(entry.entryId, after) > 0)
        return start === -1 ? [] : this.entries.slice(start, start + entriesMax)
      }),
    bounds: () => this.look("bounds", () => ({ oldest: this.entries[0]?.entryId, newest: this.newest })),
    readBefore: () => away("readBefore"),
    getMany: () => away("getMany"),
    entriesOfResource: () => away("entriesOfResource"),
  })
}

/** A hint channel the test speaks on. */
export class TestHints {
  readonly watched = new Set<string>()
  watches = 0
  isAway = false
  private listener: (hint: FeedHint) => void = () => {}

  tell(hint: FeedHint): void {
    this.listener(hint)
  }

  /** The hint of an entry, where somebody watches. */
  appended(entry: EventEntry): void {
    if (!this.watched.has(`${feed.sellerId}:${feed.mode}`)) return
    this.tell({ kind: "appended", feed, entryId: entry.entryId, previousEntryId: "0-0" })
  }

  readonly service: FeedHints["Service"] = FeedHints.of({
    listen: (listener) =>
      Effect.sync(() => {
        this.listener = listener
      }),
    watch: (asked) =>
      Effect.suspend(() => {
        if (this.isAway) return away("watch")
        this.watches++
        this.watched.add(`${asked.sellerId}:${asked.mode}`)
        return Effect.void
      }),
    unwatch: (asked) => Effect.sync(() => this.watched.delete(`${asked.sellerId}:${asked.mode}`)),
  })
}

/** Slots in memory. */
export class TestSlots {
  readonly held = new Set<string>()
  readonly releases: Array<string> = []
  isAway = false
  max = 10
  fullAnswer: SlotAnswer = "full"

  readonly service: StreamSlots["Service"] = StreamSlots.of({
    take: (_, connectionId) =>
      Effect.suspend(() => {
        if (this.isAway) return away("take")
        if (this.held.size >= this.max) return Effect.succeed(this.fullAnswer)
        this.held.add(connectionId)
        return Effect.succeed("taken")
      }),
    release: (_, connectionId) =>
      Effect.suspend(() => {
        if (this.isAway) return away("release")
        this.releases.push(connectionId)
        this.held.delete(connectionId)
        return Effect.void
      }),
  })
}

/** A frame as a client reads it. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: Record<string, unknown>
  readonly retry?: string
  readonly comment?: string
}

const readFrame = (text: string): Frame => {
  const frame: Record<string, unknown> = {}
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon === 0 ? "comment" : line.slice(0, colon)
    const value = line.slice(colon + 2)
    frame[name] = name === "data" ? JSON.parse(value) : value
  }
  return frame
}

/** A connection that records what it gets; while `isStuck` its reader takes nothing. */
export class TestConnection implements StreamConnection {
  isStuck = false
  hasEnded = false
  wasCut = false
  /** The most that was unsent at any time. */
  unsentMax = 0
  writes = 0
  private readonly chunks: Array<Uint8Array> = []
  private unsent = 0
  private isEnding = false
  private drainListeners: Array<() => void> = []
  private endListeners: Array<() => void> = []

  write(bytes: Uint8Array): void {
    if (this.isEnding || this.hasEnded) return
    this.writes++
    this.chunks.push(bytes)
    if (this.isStuck) this.unsent += bytes.length
    this.unsentMax = Math.max(this.unsentMax, this.unsent)
  }

  unsentBytes(): number {
    return this.unsent
  }

  whenDrained(listener: () => void): void {
    if (this.hasEnded) return
    if (this.unsent === 0) listener()
    else this.drainListeners.push(listener)
  }

  end(): void {
    this.isEnding = true
    if (this.unsent === 0) this.finish()
  }

  cut(): void {
    if (this.hasEnded) return
    this.wasCut = true
    this.finish()
  }

  onEnded(listener: () => void): void {
    if (this.hasEnded) listener()
    else this.endListeners.push(listener)
  }

  /** The reader takes all that is unsent. */
  drain(): void {
    this.unsent = 0
    const listeners = this.drainListeners
    this.drainListeners = []
    for (const listener of listeners) listener()
    if (this.isEnding) this.finish()
  }

  /** Makes it look as if so much was unsent. */
  pretendUnsent(bytes: number): void {
    this.unsent = bytes
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString()
  }

  get frames(): ReadonlyArray<Frame> {
    const frames = this.text.split("\n\n")
    if (frames.pop() !== "") throw new Error("the last frame is not whole")
    return frames.map(readFrame)
  }

  /** The `seq` of every event it got. */
  get seqs(): ReadonlyArray<number> {
    return this.frames.flatMap((frame) => (frame.id === undefined ? [] : [Number(frame.data?.seq)]))
  }

  /** Names of control frames, and `ping` for heartbeats. */
  get controls(): ReadonlyArray<string> {
    return this.frames.flatMap((frame) => {
      if (frame.comment !== undefined) return ["ping"]
      if (frame.retry !== undefined) return ["retry"]
      return frame.id === undefined ? [frame.event ?? ""] : []
    })
  }

  private finish(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    for (const listener of this.endListeners) listener()
  }
}

export const heartbeatMillis = 15_000
export const lifetimeMillis = 3_300_000

/** A feed over test ports, for one test. */
export const makeBench = () => {
  const log = new TestLog()
  const hints = new TestHints()
  const slots = new TestSlots()
  const layer = FeedHubLive({ heartbeatMillis, lifetimeMillis }).pipe(
    Layer.provide([
      Layer.succeed(EventLog, log.service),
      Layer.succeed(FeedHints, hints.service),
      Layer.succeed(StreamSlots, slots.service),
      Layer.succeed(DocumentCipher, { restore: (data) => data.replace("enc:v1:x", "52998224725") }),
    ]),
  )
  return { log, hints, slots, layer }
}

/** Opens a stream on a connection of its own. */
export const connect = Effect.fnUntraced(function* (
  request: Partial<StreamRequest> = {},
  connection = new TestConnection(),
) {
  const hub = yield* FeedHub
  const start = yield* hub.open({ feed, ...request })
  start(connection)
  yield* settle
  return connection
})
