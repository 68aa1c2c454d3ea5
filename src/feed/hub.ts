/**
 * How events reach streams:
 * 1. The feed's hub starts to listen to hints, so it hears of every later commit.
 * 2. One call of the store checks the key, takes a slot of the seller and reads where the feed ends. The stream starts there.
 * 3. The stream replays from its position until it has caught up, then joins the hub's live streams.
 * 4. A hint makes the live tail read the hub's feed once, for all of its streams.
 * 5. A stream that ends gives its slot back; a hub without streams stops listening after a while.
 *
 * If a hint is lost, the feed is read again within seconds. If the channel of hints breaks, nobody knows what was missed: streams of that
 * epoch end with `reconnect` and resume from their last id. If the process dies, slots expire and clients resume elsewhere.
 */

import { Clock, Context, Effect, Exit, Layer, Queue, Random, Schedule, Schema } from "effect"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { sessionKeyHash } from "../../actors/values/principal.ts"
import { ApiError } from "../../schema/errors.ts"
import type { TypesFilter } from "../../schema/eventChecks.ts"
import { entryIdOf, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { FanOut, type FrameCounter } from "./fanOut.ts"
import { feedLimits } from "./feedLimits.ts"
import { type FeedCounters, registerFeedMetrics } from "./feedMetrics.ts"
import type { FeedStream, Hub } from "./feedStream.ts"
import { FollowerPlaces } from "./followerPlaces.ts"
import { type FollowRequest, Follows, turnAway } from "./follows.ts"
import { openingFrame } from "./frames.ts"
import { Hubs } from "./hubs.ts"
import { LiveTail } from "./liveTail.ts"
import { type StartPosition, startPosition } from "./position.ts"
import { Replays } from "./replays.ts"
import { SlotKeeper } from "./slotKeeper.ts"
import type { StartStream, StreamConnection } from "./streamConnection.ts"
import { Streams, type StreamTimes } from "./streams.ts"

/** An authenticated request for a stream. */
export interface StreamRequest {
  readonly feed: Feed
  /** Undefined: all types. */
  readonly types?: TypesFilter | undefined
  /** The event id to resume from; undefined or empty: live from now. */
  readonly lastEventId?: string | undefined
  /** The key or session that asks; the stream ends when it is revoked. */
  readonly credentialId?: string
  /** The key that asks, as its principal has it. Undefined: a session, which was checked before. */
  readonly keyHash?: string
}

/** The key that asks for a stream was revoked since it was authenticated. */
class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}

/**
 * Event streams of this process (`docs/contract/events.md#stream`): replay, live tail, and everything that ends them.
 */
export class FeedHub extends Context.Service<
  FeedHub,
  {
    /**
     * Opens a stream: checks the key, takes one of the seller's slots and finds the start position. Fails if the key was revoked, and
     * with 429 `rate_limited` if the seller has no slot left. A process that cannot serve now writes `retry` and `reconnect` with the
     * function it returns. The connection's `onEnded` listener must run even if the connection ended before, because it releases the
     * slot.
     */
    readonly open: (
      request: StreamRequest,
    ) => Effect.Effect<StartStream, ApiError<"rate_limited"> | KeyRevoked>
    /**
     * Opens a stream that tells the status of one charge, from now until it is final, and takes no slot of the seller's. Fails
     * with 429 `rate_limited` if the charge or the client has too many. The rest is as of `open`.
     */
    readonly follow: (request: FollowRequest) => Effect.Effect<StartStream, ApiError<"rate_limited">>
    /**
     * Tells every stream to reconnect, accepts no new ones, and waits (bounded) until all are gone and their slots
     * released.
     */
    readonly drain: Effect.Effect<void>
    /** Whether new streams are served; otherwise they are turned away. */
    readonly isServing: Effect.Effect<boolean>
    readonly counters: Effect.Effect<FeedCounters>
  }
>()("corrente/feed/FeedHub") {}

const tooManyStreams = new ApiError({
  code: "rate_limited",
  message: `This seller has ${limits.streamsPerSellerMax} event streams open, which is the maximum. Close one, then try again.`,
  details: { limit: limits.streamsPerSellerMax },
  retryAfterSeconds: Math.ceil(feedLimits.retryMillis / 1000),
})

/** The parts of a process' feed, wired together. */
class FeedService {
  readonly hubs: Hubs
  readonly slots: SlotKeeper
  readonly streams: Streams
  readonly tail: LiveTail
  readonly replays: Replays
  readonly follows: Follows
  readonly places = new FollowerPlaces()
  readonly counter: FrameCounter = { framesSent: 0 }
  /** Breaks of the hint channel so far: streams from before one do not begin after it. */
  epoch = 0
  #hasHints = true
  #isDraining = false
  readonly #breaks: Queue.Queue<number>

  constructor(
    ports: {
      readonly log: EventLog["Service"]
      readonly hints: FeedHints["Service"]
      readonly slots: StreamSlots["Service"]
      readonly charges: ChargeRenderer["Service"]
      readonly clock: Clock.Clock
      readonly chance: () => number
    },
    queues: {
      readonly retiring: Queue.Queue<Hub>
      readonly releases: Queue.Queue<string>
      readonly reads: Queue.Queue<Hub>
      readonly replays: Queue.Queue<FeedStream>
      readonly breaks: Queue.Queue<number>
    },
    times: StreamTimes,
    idPrefix: string,
  ) {
    const { log } = ports
    const renderCharge = ports.charges.render
    this.#breaks = queues.breaks
    this.hubs = new Hubs(ports.hints, queues.retiring)
    this.slots = new SlotKeeper(ports.slots, queues.releases)
    this.streams = new Streams(times, this, ports.clock, idPrefix)
    const { streams, counter } = this
    const fanOut = new FanOut(renderCharge, counter, {
      cutSlow: (stream) => streams.cutSlow(stream),
      tellStatus: (stream, status) => this.follows.tell(stream, status),
    })
    this.tail = new LiveTail({ log, streams, fanOut, queue: queues.reads })
    this.replays = new Replays({
      log,
      renderCharge,
      streams,
      counter,
      tail: this.tail,
      queue: queues.replays,
    })
    const { hubs, tail, places } = this
    this.follows = new Follows({ log, hubs, streams, tail, places, state: this, chance: ports.chance })
  }

  get isServing(): boolean {
    return this.#hasHints && !this.#isDraining
  }

  open(request: StreamRequest): Effect.Effect<StartStream, ApiError<"rate_limited"> | KeyRevoked> {
    return Effect.suspend(() => {
      if (!this.isServing) return Effect.succeed(turnAway)
      const stream = this.streams.create(this.hubs.enter(request.feed), request, this.epoch)
      return Effect.onExit(this.#prepare(stream, request), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) || exit.value === turnAway) this.streams.abandon(stream)
        }),
      )
    })
  }

  /**
   * Listens to hints before it takes the slot, which also checks the key and reads where the feed ends: the stream misses no commit
   * and no revocation after that.
   */
  #prepare(
    stream: FeedStream,
    request: StreamRequest,
  ): Effect.Effect<StartStream, ApiError<"rate_limited"> | KeyRevoked> {
    const { feed } = stream.hub
    const lastEventId = request.lastEventId || undefined
    const opening = {
      feed,
      connectionId: stream.id,
      keyHash: request.keyHash ?? sessionKeyHash,
      requestedEntryId: lastEventId && entryIdOf(feed, lastEventId),
    }
    const slot = Effect.uninterruptible(
      Effect.tap(this.slots.take(opening), ({ kind }) =>
        Effect.sync(() => {
          if (kind === "taken") this.streams.gotSlot(stream)
        }),
      ),
    )
    return Effect.gen({ self: this as FeedService }, function* () {
      const hints = yield* Effect.option(this.hubs.watch(stream.hub))
      if (hints._tag === "None") return turnAway
      const answer = yield* slot
      if (answer.kind === "keyInvalid") return yield* new KeyRevoked()
      if (answer.kind === "full") return yield* tooManyStreams
      if (answer.kind !== "taken") return turnAway
      const start = startPosition(feed, lastEventId, answer.bounds)
      return (connection: StreamConnection) => this.#begin(stream, connection, start)
    })
  }

  #begin(stream: FeedStream, connection: StreamConnection, start: StartPosition): void {
    if (stream.phase !== "opening" || this.#isDraining || stream.epoch !== this.epoch) {
      this.streams.abandon(stream)
      turnAway(connection)
      return
    }
    if (!this.streams.join(stream, connection)) return
    connection.write(openingFrame(stream.hub.feed, start))
    this.replays.start(stream, start.position, start.caughtUp)
  }

  /** Runs in a callback that must not block, so it queues the work. */
  hear(hint: FeedHint): void {
    if (hint.kind === "appended") {
      const hub = this.hubs.find(hint.feed)
      if (hub !== undefined) this.tail.appended(hub, hint.entryId)
      return
    }
    if (hint.kind === "revoked") {
      const hub = this.hubs.find(hint.feed)
      if (hub !== undefined) this.streams.endRevoked(hub, hint.credentialId)
      return
    }
    if (hint.kind === "moved") {
      const hub = this.hubs.find(hint.feed)
      if (hub !== undefined) this.tail.close(hub)
      return
    }
    this.#hasHints = hint.kind === "restored"
    if (hint.kind === "restored") {
      for (const hub of this.hubs.all()) this.tail.want(hub)
      return
    }
    this.hubs.hintsLost()
    Queue.offerUnsafe(this.#breaks, this.epoch)
    this.epoch++
  }

  /** Ends the streams of each break, forever. */
  get breakWorker() {
    return Effect.forever(
      Effect.flatMap(Queue.take(this.#breaks), (epoch) => this.streams.closeAll("interrupted", epoch)),
    )
  }

  tick(): void {
    const now = this.streams.nowMillis()
    this.streams.tick()
    this.slots.retryFailed()
    this.tail.readOverdue(this.hubs.all(), now)
    this.hubs.retireIdle(now)
  }

  get drain(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isDraining = true
      return this.streams
        .closeAll("deploy", this.epoch)
        .pipe(
          Effect.andThen(this.streams.empty),
          Effect.andThen(this.slots.settled),
          Effect.timeoutOption(feedLimits.drainMillis),
          Effect.andThen(Effect.sync(() => this.streams.cutAll())),
        )
    })
  }

  get counters(): FeedCounters {
    return {
      openStreams: this.streams.size,
      statusStreams: this.places.taken,
      hubs: this.hubs.size,
      framesSent: this.counter.framesSent,
      slowReadersCut: this.streams.slowReadersCut,
      replays: this.replays.started,
    }
  }
}

const makeService = Effect.fnUntraced(function* (times: StreamTimes) {
  const ports = {
    log: yield* EventLog,
    hints: yield* FeedHints,
    slots: yield* StreamSlots,
    charges: yield* ChargeRenderer,
    clock: yield* Clock.Clock,
    chance: yield* Effect.map(Random.Random, (random) => () => random.nextDoubleUnsafe()),
  }
  // Bounded by use: each hub, seller and stream is in its queue at most once.
  const queues = {
    retiring: yield* Queue.unbounded<Hub>(),
    releases: yield* Queue.unbounded<string>(),
    reads: yield* Queue.unbounded<Hub>(),
    replays: yield* Queue.unbounded<FeedStream>(),
    breaks: yield* Queue.unbounded<number>(),
  }
  const random = yield* Random.nextIntBetween(0, 2 ** 48)
  return new FeedService(ports, queues, times, random.toString(36))
})

const forkMany = (effect: Effect.Effect<unknown>, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.forkScoped(effect), { discard: true })

/**
 * The feed of this process. It has a small fixed number of fibers, however many streams there are. When the layer
 * closes, streams are told to reconnect and the fibers end.
 */
export const FeedHubLive = (times: StreamTimes) =>
  Layer.effect(
    FeedHub,
    Effect.gen(function* () {
      const service = yield* makeService(times)
      const hints = yield* FeedHints
      yield* registerFeedMetrics(() => service.counters)
      yield* hints.listen((hint) => service.hear(hint))
      yield* forkMany(service.tail.worker, feedLimits.liveReadsInFlightMax)
      yield* forkMany(service.replays.worker, feedLimits.replayReadsInFlightMax)
      yield* forkMany(service.slots.worker, feedLimits.releasesInFlightMax)
      yield* forkMany(service.hubs.retirement, 1)
      yield* forkMany(service.breakWorker, 1)
      const look = Effect.catchDefect(
        Effect.sync(() => service.tick()),
        (defect) => Effect.logError("Checking the event streams failed", defect),
      )
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.fixed(service.streams.tickMillis)))
      // Once: a second drain would wait again for slots that an unavailable store cannot release.
      const drain = yield* Effect.cached(service.drain)
      // Added last so that it runs first: the workers must still be there to release the slots.
      yield* Effect.addFinalizer(() => drain)
      return FeedHub.of({
        open: (request) => service.open(request),
        follow: (request) => service.follows.open(request),
        drain,
        isServing: Effect.sync(() => service.isServing),
        counters: Effect.sync(() => service.counters),
      })
    }),
  )
