import { Effect, Exit } from "effect"
import type { EventLog } from "../../actors/ports/eventLog.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../schema/errors.ts"
import type { Feed } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { feedLimits } from "./feedLimits.ts"
import type { FeedStream, Following } from "./feedStream.ts"
import type { FollowerPlaces } from "./followerPlaces.ts"
import { crowdedFrame, firstStatusFrames, isFinal, statusFrames, turnAwayFrame } from "./frames.ts"
import type { Hubs } from "./hubs.ts"
import type { LiveTail } from "./liveTail.ts"
import type { StartStream, StreamConnection } from "./streamConnection.ts"
import type { Streams } from "./streams.ts"

/** A request to follow the status of a charge. */
export interface FollowRequest {
  /** The charge's feed. */
  readonly feed: Feed
  readonly chargeId: string
  /** What counts as one client: an address. */
  readonly client: string
  /** Reads the charge's status; undefined where it is gone. */
  readonly readStatus: Effect.Effect<TransactionStatus | undefined, StoreUnavailable>
}

/** Whether streams can be served now; a stream that was opened before a break must not begin after it. */
export interface ServingState {
  readonly isServing: boolean
  readonly epoch: number
}

/** The other parts of the feed that follows use. */
export interface FollowParts {
  readonly log: EventLog["Service"]
  readonly hubs: Hubs
  readonly streams: Streams
  readonly tail: LiveTail
  readonly places: FollowerPlaces
  readonly state: ServingState
  /** Draws a random number from 0 (inclusive) to 1. */
  readonly chance: () => number
}

const endsWith =
  (frame: Uint8Array): StartStream =>
  (connection) => {
    connection.write(frame)
    connection.end()
  }

/** Tells a client to come back. */
export const turnAway: StartStream = endsWith(turnAwayFrame)

const tooMany = new ApiError({
  code: "rate_limited",
  message:
    "Too many pages of this charge, or of this address, are open. Close one, or reload the page instead.",
  retryAfterSeconds: Math.ceil(feedLimits.retryMillis / 1000),
})

/**
 * Streams that tell the status of one charge and nothing else (docs/contract/payment-page.md#stream). They hang on the hub of the
 * charge's feed: the hub reads what is appended once, however many follow, and looks up who follows its charge.
 */
export class Follows {
  readonly #parts: FollowParts

  constructor(parts: FollowParts) {
    this.#parts = parts
  }

  /**
   * Opens a stream. Fails with 429 `rate_limited` where the charge or the client has too many. A process that cannot serve now,
   * or has too many streams in all, writes `retry` and `reconnect` with the function it returns.
   */
  open(request: FollowRequest): Effect.Effect<StartStream, ApiError<"rate_limited">> {
    const { hubs, streams, places, state, chance } = this.#parts
    const { feed, chargeId, client } = request
    return Effect.suspend(() => {
      if (!state.isServing) return Effect.succeed(turnAway)
      const following: Following = { chargeId, client, status: undefined }
      const place = places.take(following)
      if (place === "tooMany") return Effect.fail(tooMany)
      if (place === "full") return Effect.succeed(endsWith(crowdedFrame(chance())))
      const stream = streams.create(hubs.enter(feed), {}, state.epoch)
      stream.following = following
      return Effect.onExit(this.#prepare(stream, following, request), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) || exit.value === turnAway) streams.abandon(stream)
        }),
      )
    })
  }

  /** The status is read last: what is committed after that is told by the hub. */
  #prepare(stream: FeedStream, following: Following, request: FollowRequest): Effect.Effect<StartStream> {
    const { log, hubs, tail } = this.#parts
    const hub = stream.hub
    const join = Effect.gen(function* () {
      yield* hubs.watch(hub)
      const newest = hub.isFollowed ? hub.last : yield* log.newest(hub.feed)
      if (stream.phase === "opening") tail.follow(stream, following, newest)
      return yield* request.readStatus
    })
    return Effect.map(
      Effect.catch(join, () => Effect.succeed(undefined)),
      (status) =>
        status === undefined ? turnAway : (connection) => this.#begin(stream, following, connection, status),
    )
  }

  #begin(
    stream: FeedStream,
    following: Following,
    connection: StreamConnection,
    statusThen: TransactionStatus,
  ): void {
    const { streams, state } = this.#parts
    if (stream.phase !== "opening" || !state.isServing || stream.epoch !== state.epoch) {
      streams.abandon(stream)
      turnAway(connection)
      return
    }
    if (!streams.join(stream, connection)) return
    stream.phase = "live"
    const status = following.status ?? statusThen
    if (isFinal(status)) streams.finish(stream, firstStatusFrames[status])
    else connection.write(firstStatusFrames[status])
  }

  /** Tells a stream what the feed says its charge has become. */
  tell(stream: FeedStream, status: TransactionStatus): void {
    if (stream.following === undefined || !isFinal(status)) return
    stream.following.status = status
    this.#parts.streams.finish(stream, statusFrames[status])
  }
}
