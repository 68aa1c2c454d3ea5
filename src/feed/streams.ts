import { type Clock, Effect } from "effect"
import type { TypesFilter } from "../../schema/events.ts"
import { feedLimits } from "./feedLimits.ts"
import { FeedStream, type Hub, isSlow } from "./feedStream.ts"
import { pingFrame, type ReconnectReason, reconnectFrames } from "./frames.ts"
import type { Hubs } from "./hubs.ts"
import type { SlotKeeper } from "./slotKeeper.ts"
import type { StreamConnection } from "./streamConnection.ts"

/** How long a stream lives and how often it is told that it does; in milliseconds. */
export interface StreamTimes {
  readonly heartbeatMillis: number
  readonly lifetimeMillis: number
}

/** Every open stream of a process, from its slot to its end; one ticker looks after all of them. */
export class Streams {
  slowReadersCut = 0
  readonly times: StreamTimes
  readonly #all = new Set<FeedStream>()
  readonly #hubs: Hubs
  readonly #slots: SlotKeeper
  readonly #clock: Clock.Clock
  /** Makes the ids of this process' streams its own. */
  readonly #idPrefix: string
  #opened = 0
  #emptyListeners: Array<() => void> = []

  constructor(times: StreamTimes, hubs: Hubs, slots: SlotKeeper, clock: Clock.Clock, idPrefix: string) {
    this.times = times
    this.#hubs = hubs
    this.#slots = slots
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

  /** Looks a heartbeat is divided into; heartbeats of streams opened together are spread over them. */
  get tickMillis(): number {
    return Math.min(feedLimits.tickMillisMax, this.times.heartbeatMillis / feedLimits.ticksPerHeartbeat)
  }

  /** A stream in the making: it counts in its hub, and is given up if its connection never comes. */
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

  /** The stream's slot was taken; one that was given up meanwhile gives it back. */
  gotSlot(stream: FeedStream): void {
    if (stream.phase === "ended") this.#slots.release(stream.hub.feed.sellerId, stream.id)
    else stream.holdsSlot = true
  }

  /** Joins a stream with its connection; false where the connection has ended already. */
  join(stream: FeedStream, connection: StreamConnection): boolean {
    stream.connection = connection
    stream.phase = "replaying"
    connection.onEnded(() => this.#forget(stream))
    return !this.hasEnded(stream)
  }

  /** Whether nothing is to be sent any more. */
  hasEnded(stream: FeedStream): boolean {
    return stream.phase === "closing" || stream.phase === "ended"
  }

  /** Gives up a stream that never got its connection. */
  abandon(stream: FeedStream): void {
    if (stream.phase === "opening") this.#forget(stream)
  }

  /** `event: reconnect`, then the end. */
  close(stream: FeedStream, reason: ReconnectReason): void {
    if (stream.connection === undefined || this.hasEnded(stream)) return
    this.#setClosing(stream)
    stream.connection.write(reconnectFrames[reason])
    stream.connection.end()
  }

  /** Ends the streams that were opened under a credential which has ended; their clients are told 401 when they return. */
  endRevoked(hub: Hub, credentialId: string): void {
    for (const stream of this.#all) {
      if (stream.hub !== hub || stream.credentialId !== credentialId) continue
      if (stream.phase === "opening") this.abandon(stream)
      if (stream.connection === undefined || this.hasEnded(stream)) continue
      this.#setClosing(stream)
      stream.connection.end()
    }
  }

  /** Cuts a reader that does not keep up. */
  cutSlow(stream: FeedStream): void {
    if (stream.connection === undefined || this.hasEnded(stream)) return
    this.slowReadersCut++
    this.#setClosing(stream)
    stream.connection.cut()
  }

  /** Closes the streams opened in this epoch or before, in turns, so that other work goes on between. */
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

  /** Waits until there is no stream any more. */
  get empty(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#all.size === 0) resume(Effect.void)
      else this.#emptyListeners.push(() => resume(Effect.void))
    })
  }

  /** Cuts what is left. */
  cutAll(): void {
    for (const stream of this.#all) stream.connection?.cut()
  }

  /** One look at every stream: heartbeat, lifetime, and the ends of those that wait in vain. */
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
    // A replay waits for its reader by itself, and one large frame may be all that is unsent.
    if (stream.phase === "live" && isSlow(stream)) this.cutSlow(stream)
    else stream.connection?.write(pingFrame)
  }

  #setClosing(stream: FeedStream): void {
    stream.phase = "closing"
    stream.replay = undefined
    stream.cutAtMillis = this.nowMillis() + feedLimits.endGraceMillis
    stream.hub.live.delete(stream)
  }

  /** The end, whoever brought it: everything the stream held is given back, once. */
  #forget(stream: FeedStream): void {
    if (stream.phase === "ended") return
    stream.phase = "ended"
    stream.replay = undefined
    stream.hub.live.delete(stream)
    this.#all.delete(stream)
    this.#hubs.leave(stream.hub, this.nowMillis())
    if (stream.holdsSlot) this.#slots.release(stream.hub.feed.sellerId, stream.id)
    if (this.#all.size > 0) return
    const listeners = this.#emptyListeners
    this.#emptyListeners = []
    for (const listener of listeners) listener()
  }
}
