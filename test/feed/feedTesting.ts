import { Effect, Layer } from "effect"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { type EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import { type FeedBounds, type SlotAnswer, StreamSlots } from "../../actors/ports/streamSlots.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../schema/errors.ts"
import { readTypesFilter, type TypesFilter } from "../../schema/eventChecks.ts"
import { eventTypeOf } from "../../schema/events.ts"
import { eventIdOf, type Feed, makeId } from "../../schema/ids.ts"
import { FeedHub, FeedHubLive, type StreamRequest } from "../../src/feed/hub.ts"
import { compareEntryIds } from "../../src/feed/position.ts"
import { TestConnection } from "./testConnection.ts"

export const sellerId = makeId("sel_", 1_700_000_000_000, 7, new Uint8Array(14).fill(3))
export const feed: Feed = { sellerId, mode: "live" }
export const foreignFeed: Feed = { sellerId, mode: "test" }

const away = (operation: string) => Effect.fail(new StoreUnavailable({ operation, reason: "test" }))

/** Reads a `types` filter that is well-formed. */
export const typesFilter = (text: string): TypesFilter => {
  const filter = readTypesFilter(text, 50)
  if (filter instanceof ApiError) throw filter
  return filter
}

/** Lets `count` turns of the event loop pass. */
export const turns = (count: number): Effect.Effect<void> =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

/** Long enough for any chain of reads in these tests, short of a replay of thousands. */
export const settle = turns(100)

/** An event log of one feed in memory, whose reads take as many turns as the test says. */
export class TestLog {
  readonly entries: Array<EventEntry> = []
  newest = "0-0"
  reads = 0
  /** Entries that reads have returned, and the most reads there were at once. */
  entriesRead = 0
  readsAtOnceMax = 0
  #readsAtOnce = 0
  isAway = false
  /** Turns that pass before and after a read looks at the entries. */
  nextReadTurns: () => readonly [number, number] = () => [0, 0]
  #millis = 1_763_683_655_000

  append(type = "transaction.paid", data = '{"id":"txn_1","document":"enc:v2:0:x"}'): EventEntry {
    const seq = (this.entries.at(-1)?.seq ?? this.#lastSeq) + 1
    // Two in a millisecond, then a hole that holds positions without an entry.
    if (seq % 2 === 1) this.#millis += 10
    const entryId = `${this.#millis}-${seq % 2 === 0 ? 1 : 0}`
    const internal = eventTypeOf(type)?.internal === true
    const entry = { entryId, seq, type, resourceId: "txn_1", internal, data }
    this.entries.push(entry)
    this.newest = entryId
    this.#lastSeq = seq
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

  #lastSeq = 0

  #look<A>(operation: string, read: () => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.suspend(() => {
      const [before, after] = this.nextReadTurns()
      this.readsAtOnceMax = Math.max(this.readsAtOnceMax, ++this.#readsAtOnce)
      const answer = Effect.suspend(() => (this.isAway ? away(operation) : Effect.succeed(read())))
      return turns(before).pipe(
        Effect.andThen(answer),
        Effect.tap(() => turns(after)),
        Effect.ensuring(Effect.sync(() => this.#readsAtOnce--)),
      )
    })
  }

  /** What a slot comes with. */
  bounds(requested: string | undefined): Effect.Effect<FeedBounds, StoreUnavailable> {
    return this.#look("bounds", () => ({
      newest: this.newest,
      oldest: this.entries[0]?.entryId,
      hasRequested: this.entries.some(({ entryId }) => entryId === requested),
    }))
  }

  readonly service: EventLog["Service"] = EventLog.of({
    readAfter: (asked, after, entriesMax) =>
      this.#look("readAfter", () => {
        this.reads++
        if (asked.mode !== feed.mode) return []
        const start = this.entries.findIndex((entry) => compareEntryIds(entry.entryId, after) > 0)
        const found = start === -1 ? [] : this.entries.slice(start, start + entriesMax)
        this.entriesRead += found.length
        return found
      }),
    newest: () => this.#look("newest", () => this.newest),
    readBefore: () => away("readBefore"),
    getMany: (_asked, entryIds) =>
      this.#look("getMany", () => this.entries.filter(({ entryId }) => entryIds.includes(entryId))),
    entriesOfResource: () => away("entriesOfResource"),
  })
}

/** A hint channel that the test publishes on. */
export class TestHints {
  readonly watched = new Set<string>()
  watches = 0
  isAway = false
  /** Turns that starting and ending the hints of a feed take. */
  watchTurns = 0
  unwatchTurns = 0
  #listener: (hint: FeedHint) => void = () => {}

  tell(hint: FeedHint): void {
    this.#listener(hint)
  }

  /** Publishes the hint of an entry, if its feed is watched. */
  appended(entry: EventEntry): void {
    if (!this.watched.has(`${feed.sellerId}:${feed.mode}`)) return
    this.tell({ kind: "appended", feed, entryId: entry.entryId, previousEntryId: "0-0" })
  }

  readonly service: FeedHints["Service"] = FeedHints.of({
    listen: (listener) =>
      Effect.sync(() => {
        this.#listener = listener
      }),
    watch: (asked) =>
      Effect.suspend(() => {
        if (this.isAway) return away("watch")
        this.watches++
        this.watched.add(`${asked.sellerId}:${asked.mode}`)
        return turns(this.watchTurns)
      }),
    unwatch: (asked) =>
      Effect.suspend(() => {
        this.watched.delete(`${asked.sellerId}:${asked.mode}`)
        return turns(this.unwatchTurns)
      }),
  })
}

/** Slots in memory. */
export class TestSlots {
  readonly held = new Set<string>()
  readonly releases: Array<string> = []
  takes = 0
  isAway = false
  /** Releases that still succeed. */
  releasesLeft = Number.POSITIVE_INFINITY
  /** What a take or a release waits for before it is done. */
  beforeTake: Effect.Effect<void> = Effect.void
  beforeRelease: Effect.Effect<void> = Effect.void
  max = 10
  fullAnswer: "full" | "uncertain" | "keyInvalid" = "full"
  readonly #log: TestLog

  constructor(log: TestLog) {
    this.#log = log
  }

  readonly service: StreamSlots["Service"] = StreamSlots.of({
    take: ({ connectionId, requestedEntryId }) =>
      Effect.suspend(() => {
        this.takes++
        if (this.isAway) return away("take")
        if (this.held.size >= this.max) return Effect.succeed<SlotAnswer>({ kind: this.fullAnswer })
        const taken = Effect.tap(this.#log.bounds(requestedEntryId), () =>
          Effect.sync(() => this.held.add(connectionId)),
        )
        return Effect.map(
          Effect.andThen(this.beforeTake, taken),
          (bounds): SlotAnswer => ({ kind: "taken", bounds }),
        )
      }),
    release: (_, connectionId) =>
      Effect.suspend(() => {
        if (this.isAway || this.releasesLeft === 0) return away("release")
        this.releasesLeft--
        return Effect.map(this.beforeRelease, () => {
          this.releases.push(connectionId)
          this.held.delete(connectionId)
        })
      }),
  })
}

export const heartbeatMillis = 15_000
export const lifetimeMillis = 3_300_000

/** A feed over test ports, for one test. */
export const makeBench = () => {
  const log = new TestLog()
  const hints = new TestHints()
  const slots = new TestSlots(log)
  const layer = FeedHubLive({ heartbeatMillis, lifetimeMillis }).pipe(
    Layer.provide([
      Layer.succeed(EventLog, log.service),
      Layer.succeed(FeedHints, hints.service),
      Layer.succeed(StreamSlots, slots.service),
      Layer.succeed(ChargeRenderer, {
        render: (data) => data.replace("enc:v2:0:x", "52998224725"),
        renderSummary: (data) => data,
      }),
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
