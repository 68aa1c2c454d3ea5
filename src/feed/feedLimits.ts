import { limits } from "../../schema/limits.ts"

/** Limits of event streams, each with its reason; those of the contract are in `schema/limits.ts`. */
export const feedLimits = {
  /** How long `retry:` makes a client wait before it reconnects (`docs/contract/events.md#frames`). */
  retryMillis: 3_000,
  /** Time between two heartbeats of a stream (`docs/contract/events.md#frames`). */
  heartbeatMillis: 15_000,
  /** Longest time between two ticks, and so the precision of lifetimes. */
  tickMillisMax: 1_000,
  /** Ticks per heartbeat, so that the heartbeats of many streams are spread out. */
  ticksPerHeartbeat: 15,
  /**
   * Live frames per connection and turn of the event loop: sockets flush between turns, so a burst alone makes nobody
   * slow.
   */
  liveChunkBytes: 64 * 1024,
  /** Unsent bytes of a replay: half of what makes a reader slow. */
  replayChunkBytes: limits.streamUnsentBytesMax / 2,
  /** A replay joins the live tail with at most this much unsent, so that it does not start there as a slow reader. */
  attachUnsentBytesMax: limits.streamUnsentBytesMax / 4,
  /** The first replay read is small: entries may be large, and most clients missed few. */
  replayEntriesFirst: 64,
  /** Large entries shrink replay reads down to this. */
  replayEntriesMin: 8,
  /** Concurrent replay reads per process: with the batch size, this bounds the memory of all replays. */
  replayReadsInFlightMax: 32,
  /** Concurrent live reads per process, separate from replay reads, which must not delay the live tail. */
  liveReadsInFlightMax: 64,
  /** A replaying reader that takes nothing for this long gives up its slot. */
  replayStallMillis: 60_000,
  /** A feed with streams is read at least this often, in case its hints get lost. */
  safetyReadMillis: 5_000,
  /** A feed without streams is forgotten after this; until then a reconnecting client finds it warm. */
  hubIdleMillis: 10_000,
  /** An opened stream whose connection does not arrive by then releases its slot. */
  startTimeoutMillis: limits.requestTimeoutMillis,
  /** A closing stream is cut after this if its client does not take the rest. */
  endGraceMillis: 15_000,
  /** Concurrent slot releases per process. */
  releasesInFlightMax: 16,
  /** Streams closed per turn of the event loop when all must close. */
  closesPerTurn: 256,
  /** Draining waits this long for streams to end, then cuts them. */
  drainMillis: 5_000,
  /**
   * Open streams of payment pages per process (docs/contract/limits.md#payment-pages): of one charge, whose link may be in the hands
   * of many; of one client, as many as phones may share an address; and in all.
   */
  statusStreamsPerChargeMax: 20,
  statusStreamsPerClientMax: 100,
  statusStreamsMax: 20_000,
  /** Characters of a client's `Last-Event-ID` that `replay_gap` repeats; ours have 30. */
  requestedIdLengthMax: 128,
} as const

const relations: ReadonlyArray<readonly [boolean, string]> = [
  [
    feedLimits.replayChunkBytes < limits.streamUnsentBytesMax,
    "a replay must not make its own reader a slow one",
  ],
  [
    feedLimits.attachUnsentBytesMax + feedLimits.liveChunkBytes < limits.streamUnsentBytesMax,
    "a reader that just joined must stand a live chunk",
  ],
  [feedLimits.replayEntriesFirst <= limits.replayBatchEntries, "the first replay read is within the largest"],
  [feedLimits.drainMillis < limits.drainTimeoutMillis, "streams end before the process must"],
]
for (const [holds, reason] of relations) {
  if (!holds) throw new Error(`src/feed/feedLimits.ts: ${reason}`)
}
