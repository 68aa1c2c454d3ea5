import { type Clock, Effect } from "effect"
import type { TypesFilter } from "../../schema/eventChecks.ts"
import { feedLimits } from "./feedLimits.ts"
import { FeedStream, type Hub, isSlow } from "./feedStream.ts"
import type { FollowerPlaces } from "./followerPlaces.ts"
import { pingFrame, type ReconnectReason, reconnectFrames } from "./frames.ts"
import type { Hubs } from "./hubs.ts"
import type { SlotKeeper } from "./slotKeeper.ts"
import type { StreamConnection } from "./streamConnection.ts"

/** How long a stream lives, and how often it sends a heartbeat. */
export interface StreamTimes {
  readonly heartbeatMillis: number
  readonly lifetimeMillis: number
}

/** What streams hold while they are open. */
export interface StreamHolds {
  readonly hubs: Hubs
  readonly slots: SlotKeeper
  readonly places: FollowerPlaces
}

/** All open streams of a process, from slot to end, driven by one ticker. */
export class Streams {
  slowReadersCut = 0
  readonly times: StreamTimes
  readonly #all = new Set<FeedStream>()
  readonly #hubs: Hubs
  readonly #slots: SlotKeeper
  readonly #places: FollowerPlaces
  readonly #clock: Clock.Clock
  /** Makes stream ids unique to this process. */
  readonly #idPrefix: string
  #opened = 0
  #emptyListeners: Array<() => void> = []

  constructor(
    times: StreamTimes,
    { hubs, slots, places }: StreamHolds,
    clock: Clock.Clock,
    idPrefix: string,
  ) {
    this.times = times
    this.#hubs = hubs
    this.#slots = slots
    this.#places = places
    this.#clock = clock
    this.#idPrefix = idPrefix
  }

  get size(): number {
    return this.#all.size
  }

  /** Monotonic, so that a corrected wall clock ends no stream. */
  nowMillis(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  /** Time between ticks: a fraction of a heartbeat, over which the heartbeats of streams opened together are spread. */
  get tickMillis(): number {
    return Math.min(feedLimits.tickMillisMax, this.times.heartbeatMillis / feedLimits.ticksPerHeartbeat)
  }

  /** Creates a stream. It counts in its hub at once, and is given up if its connection never arrives. */
  create(
    hub: Hub,
    { types, credentialId }: { readonly types?: TypesFilter | undefined; readonly credentialId?: string },
    epoch: number,
  ): FeedStream {
    const now = this.nowMillis()
    const number = this.#opened++
    const spread = (number % feedLimits.ticksPerHeartbeat) / feedLimits.ticksPerHeartbeat
    const pingAt = now + this.times.heartbeatMillis * (1 - spread)
    const id = `${this.#idPrefix}-${number.toString(36)}`
    const stream = new FeedStream(id, hub, types, credentialId, epoch, now, pingAt)
    this.#all.add(stream)
    return stream
  }

  /** The slot was taken; if the stream was given up meanwhile, the slot is released. */
  gotSlot(stream: FeedStream): void {
    if (stream.phase === "ended") this.#slots.release(stream.hub.feed.sellerId, stream.id)
    else stream.holdsSlot = true
  }

  /** Attaches the connection; false if it has ended already. */
  join(stream: FeedStream, connection: StreamConnection): boolean {
    stream.connection = connection
    stream.phase = "replaying"
    connection.onEnded(() => this.#forget(stream))
    return !this.hasEnded(stream)
  }

  /** Whether nothing more will be sent. */
  hasEnded(stream: FeedStream): boolean {
    return stream.phase === "closing" || stream.phase === "ended"
  }

  /** Gives up a stream that never got its connection. */
  abandon(stream: FeedStream): void {
    if (stream.phase === "opening") this.#forget(stream)
  }

  /** Sends `event: reconnect` and ends the stream. */
  close(stream: FeedStream, reason: ReconnectReason): void {
    if (stream.connection === undefined || this.hasEnded(stream)) return
    this.#setClosing(stream)
    stream.connection.write(reconnectFrames[reason])
    stream.connection.end()
  }

  /** Ends the streams of a revoked credential; their clients get 401 when they reconnect. */
  endRevoked(hub: Hub, credentialId: string): void {
    for (const stream of this.#all) {
      if (stream.hub !== hub || stream.credentialId !== credentialId) continue
      if (stream.phase === "opening") this.abandon(stream)
      if (stream.connection === undefined || this.hasEnded(stream)) continue
      this.#setClosing(stream)
      stream.connection.end()
    }
  }

  /** Writes the last frame of a stream that follows a charge, and ends it. */
  finish(stream: FeedStream, frame: Uint8Array): void {
    if (stream.connection === undefined || this.hasEnded(stream)) return
    this.#setClosing(stream)
    stream.connection.write(frame)
    stream.connection.end()
  }

  /** Cuts a reader that does not keep up. */
  cutSlow(stream: FeedStream): void {
    if (stream.connection === undefined || this.hasEnded(stream)) return
    this.slowReadersCut++
    this.#setClosing(stream)
    stream.connection.cut()
  }

  /** Closes the streams opened in this epoch or before, in batches, so that other work gets in between. */
  readonly closeAll = Effect.fnUntraced(
    { self: this as Streams },
    function* (reason: ReconnectReason, epoch: number) {
      let closed = 0
      for (const stream of [...this.#all]) {
        if (stream.epoch > epoch) continue
        this.close(stream, reason)
        if (++closed % feedLimits.closesPerTurn === 0) yield* Effect.yieldNow
      }
    },
  )

  /** Waits until no stream is left. */
  get empty(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#all.size === 0) resume(Effect.void)
      else this.#emptyListeners.push(() => resume(Effect.void))
    })
  }

  /** Cuts the remaining streams. */
  cutAll(): void {
    for (const stream of this.#all) stream.connection?.cut()
  }

  /** Checks every stream: heartbeat, lifetime, and whether it waits in vain. */
  tick(): void {
    const now = this.nowMillis()
    for (const stream of this.#all) this.#tickOne(stream, now)
  }

  #tickOne(stream: FeedStream, now: number): void {
    if (stream.phase === "opening") {
      if (now - stream.openedMillis >= feedLimits.startTimeoutMillis) this.abandon(stream)
    } else if (stream.phase === "closing") {
      if (now >= stream.cutAtMillis) stream.connection?.cut()
    } else if (now - stream.openedMillis >= this.times.lifetimeMillis) this.close(stream, "lifetime")
    else if (now - (stream.replay?.waitingSinceMillis ?? now) >= feedLimits.replayStallMillis)
      this.cutSlow(stream)
    else if (now >= stream.pingAtMillis) this.#ping(stream, now)
  }

  #ping(stream: FeedStream, now: number): void {
    const missed = Math.floor((now - stream.pingAtMillis) / this.times.heartbeatMillis)
    stream.pingAtMillis += (missed + 1) * this.times.heartbeatMillis
    // A replay waits for its reader anyway, and a single large frame may be all that is unsent.
    if (stream.phase === "live" && isSlow(stream)) this.cutSlow(stream)
    else stream.connection?.write(pingFrame)
  }

  #setClosing(stream: FeedStream): void {
    stream.phase = "closing"
    stream.replay = undefined
    stream.cutAtMillis = this.nowMillis() + feedLimits.endGraceMillis
    stream.hub.drop(stream)
  }

  /** The end, whoever caused it: releases, once, everything the stream held. */
  #forget(stream: FeedStream): void {
    if (stream.phase === "ended") return
    stream.phase = "ended"
    stream.replay = undefined
    stream.hub.drop(stream)
    this.#all.delete(stream)
    this.#hubs.leave(stream.hub, this.nowMillis())
    if (stream.holdsSlot) this.#slots.release(stream.hub.feed.sellerId, stream.id)
    if (stream.following !== undefined) this.#places.leave(stream.following)
    if (this.#all.size > 0) return
    const listeners = this.#emptyListeners
    this.#emptyListeners = []
    for (const listener of listeners) listener()
  }
}
