import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { eventIdOf } from "../../schema/ids.ts"
import { FeedHub } from "../../src/feed/hub.ts"
import { runsOf } from "../support/sizes.ts"
import { feed, foreignFeed, makeBench, settle, turns, typesFilter } from "./feedTesting.ts"
import { TestConnection } from "./testConnection.ts"

const types = ["transaction.created", "transaction.paid", "withdrawal.awaiting", "seller.updated"]
const filters = [undefined, undefined, "transaction.*", "withdrawal.awaiting,seller.*", "exception.credited"]
const smallData = '{"id":"txn_1"}'
const largeData = JSON.stringify({ note: "x".repeat(50_000) })

const index = fc.nat({ max: 1_000 })
const append = fc.record({
  kind: fc.constant("append" as const),
  type: fc.constantFrom(...types),
  isLarge: fc.boolean(),
  count: fc.integer({ min: 1, max: 4 }),
  isHinted: fc.boolean(),
})
const connect = fc.record({
  kind: fc.constant("connect" as const),
  from: fc.constantFrom("now", "entry", "between", "newest", "trimmed", "foreign", "garbage"),
  entry: index,
  filter: fc.constantFrom(...filters),
  isStuck: fc.boolean(),
  /** Events that commit while the stream is being opened, and before its connection comes. */
  appendsDuringOpen: fc.nat({ max: 2 }),
  appendsBeforeStart: fc.nat({ max: 2 }),
  /** Whether the next step waits until it is open. */
  isAwaited: fc.boolean(),
})
const step = fc.oneof(
  { weight: 12, arbitrary: append },
  { weight: 6, arbitrary: connect },
  // Any entry's hint at any time: late, twice, out of order. Hints that are never drawn are lost.
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("hint" as const), entry: index }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("drain" as const), stream: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("stick" as const), stream: index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("leave" as const), stream: index }) },
  // Pages of a payment, which share the hub with the streams.
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("follow" as const), stayTurns: fc.nat({ max: 12 }) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("turns" as const), count: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("time" as const), millis: fc.nat({ max: 6_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("away" as const), count: fc.nat({ max: 6 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
type Connect = Extract<Step, { kind: "connect" }>

const scenario = fc.record({
  kept: fc.nat({ max: 150 }),
  trimmed: fc.nat({ max: 3 }),
  readTurns: fc.array(fc.tuple(fc.nat({ max: 4 }), fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 60 }))), {
    minLength: 1,
    maxLength: 8,
  }),
  steps: fc.array(step, { minLength: 10, maxLength: 60, size: "max" }),
})

type Scenario = typeof scenario extends fc.Arbitrary<infer A> ? A : never

interface Opened {
  readonly connection: TestConnection
  readonly filter: string | undefined
  /** Bounds of its position by `seq`; they differ only where events committed while it was opened. */
  readonly seqMin: number
  readonly seqMax: number
}

/** One run: the feed under test, the log, and every stream opened so far. */
class Run {
  readonly bench = makeBench()
  readonly streams: Array<Opened> = []
  /** What is being opened, and pages of payments that come and go. */
  readonly opening: Array<Fiber.Fiber<unknown, unknown>> = []
  readonly #trimmed: number

  constructor(asked: Scenario) {
    const { log, slots } = this.bench
    // A refusal is no stream to check.
    slots.max = asked.steps.length
    log.appendMany(asked.kept + asked.trimmed, types[1], smallData)
    log.trim(asked.trimmed)
    this.#trimmed = asked.trimmed
    let reads = 0
    log.nextReadTurns = () => asked.readTurns[reads++ % asked.readTurns.length] ?? [0, 0]
  }

  get newestSeq(): number {
    return this.#trimmed + this.bench.log.entries.length
  }

  stream(at: number): TestConnection | undefined {
    return this.streams[at % Math.max(this.streams.length, 1)]?.connection
  }

  append(count: number, type: string, isLarge: boolean, isHinted: boolean): void {
    for (let i = 0; i < count; i++) {
      const entry = this.bench.log.append(type, isLarge ? largeData : smallData)
      if (isHinted) this.bench.hints.appended(entry)
    }
  }

  /** What the client resumes from, and the `seq` that the contract gives that position. */
  resumption(asked: Connect): { readonly lastEventId?: string; readonly seq?: number } {
    const { entries, newest } = this.bench.log
    const entry = entries[asked.entry % Math.max(entries.length, 1)]
    const oldest = this.#trimmed
    if (asked.from === "now") return {}
    if (asked.from === "foreign") return { lastEventId: eventIdOf(foreignFeed, newest), seq: oldest }
    if (asked.from === "garbage") return { lastEventId: "evt_", seq: oldest }
    if (asked.from === "newest") return { lastEventId: eventIdOf(feed, newest), seq: this.newestSeq }
    if (asked.from === "trimmed" && this.newestSeq > 0)
      return { lastEventId: eventIdOf(feed, "1000-0"), seq: oldest }
    if (entry === undefined) return {}
    // In its millisecond, or past the newest, and of no entry: an event that was lost.
    const between = `${entry.entryId.split("-")[0]}-9`
    if (asked.from === "between") return { lastEventId: eventIdOf(feed, between), seq: oldest }
    return { lastEventId: eventIdOf(feed, entry.entryId), seq: entry.seq }
  }

  *connect(asked: Connect) {
    const { lastEventId, seq } = this.resumption(asked)
    const types = asked.filter === undefined ? undefined : typesFilter(asked.filter)
    const seqMin = seq ?? this.newestSeq
    const hub = yield* FeedHub
    const opening = yield* Effect.forkChild(hub.open({ feed, types, lastEventId }))
    yield* turns(2)
    this.append(asked.appendsDuringOpen, "transaction.paid", false, true)
    const started = Effect.map(Fiber.join(opening), (start) => {
      const seqMax = seq ?? this.newestSeq
      this.append(asked.appendsBeforeStart, "seller.updated", false, true)
      const connection = new TestConnection()
      connection.isStuck = asked.isStuck
      start(connection)
      this.streams.push({ connection, filter: asked.filter, seqMin, seqMax })
    })
    if (asked.isAwaited) yield* started
    else this.opening.push(yield* Effect.forkChild(started))
  }

  *follow(stayTurns: number) {
    const hub = yield* FeedHub
    const readStatus = Effect.succeed("pending" as const)
    const page = hub.follow({ feed, chargeId: "txn_1", client: "192.0.2.1", readStatus }).pipe(
      Effect.flatMap((start) => {
        const connection = new TestConnection()
        start(connection)
        return Effect.andThen(
          turns(stayTurns),
          Effect.sync(() => connection.cut()),
        )
      }),
      Effect.ignore,
    )
    this.opening.push(yield* Effect.forkChild(page))
  }

  *perform(asked: Step) {
    const { log, hints } = this.bench
    if (asked.kind === "append") this.append(asked.count, asked.type, asked.isLarge, asked.isHinted)
    else if (asked.kind === "connect") yield* this.connect(asked)
    else if (asked.kind === "hint") {
      const entry = log.entries[asked.entry % Math.max(log.entries.length, 1)]
      if (entry !== undefined) hints.appended(entry)
    } else if (asked.kind === "follow") yield* this.follow(asked.stayTurns)
    else if (asked.kind === "drain") this.stream(asked.stream)?.drain()
    else if (asked.kind === "leave") this.stream(asked.stream)?.cut()
    else if (asked.kind === "stick") {
      const connection = this.stream(asked.stream)
      if (connection !== undefined) connection.isStuck = !connection.isStuck
    } else if (asked.kind === "turns") yield* turns(asked.count)
    else if (asked.kind === "time") yield* TestClock.adjust(asked.millis)
    else {
      log.isAway = true
      yield* turns(asked.count)
      log.isAway = false
    }
  }

  /** Lets every reader take all it gets, and time pass so that the reads without a hint find the rest. */
  *finish() {
    yield* Fiber.awaitAll(this.opening)
    this.bench.log.nextReadTurns = () => [0, 0]
    for (const { connection } of this.streams) connection.isStuck = false
    for (let round = 0; round < 3; round++) {
      for (const { connection } of this.streams) connection.drain()
      yield* settle
      yield* TestClock.adjust(6_000)
      yield* settle
    }
  }

  /** Each stream must have every event that matches after its position once, in order; if cut, the first of them. */
  check(): void {
    for (const { connection, filter, seqMin, seqMax } of this.streams) {
      const matches = filter === undefined ? () => true : typesFilter(filter).matches
      const matching = this.bench.log.entries.filter((entry) => matches(entry.type))
      const got = connection.seqs
      const candidates = []
      for (let seq = seqMin; seq <= seqMax; seq++) {
        const expected = matching.filter((entry) => entry.seq > seq).map((entry) => entry.seq)
        candidates.push(connection.hasEnded ? expected.slice(0, got.length) : expected)
      }
      expect(candidates).toContainEqual(got)
    }
  }
}

describe("streams of a feed", () => {
  it("a stream sees each matching event after its position exactly once and in order", async () => {
    const seen = { streams: 0, whole: 0, slow: 0, events: 0 }
    await fc.assert(
      fc.asyncProperty(scenario, async (asked) => {
        const run = new Run(asked)
        const program = Effect.gen(function* () {
          for (const each of asked.steps) yield* run.perform(each)
          yield* run.finish()
          run.check()
          for (const { connection } of run.streams) {
            seen.streams++
            seen.events += connection.seqs.length
            if (!connection.hasEnded) seen.whole++
            connection.cut()
          }
          seen.slow += (yield* (yield* FeedHub).counters).slowReadersCut
        })
        await Effect.runPromise(
          program.pipe(Effect.provide(run.bench.layer), Effect.provide(TestClock.layer())),
        )
      }),
      { numRuns: runsOf(2_000) },
    )
    // The scenarios prove something only while they reach all of these.
    expect(seen.whole).toBeGreaterThan(100)
    expect(seen.slow).toBeGreaterThan(0)
    expect(seen.events).toBeGreaterThan(1_000)
  })
})
