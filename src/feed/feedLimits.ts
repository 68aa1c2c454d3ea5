import { limits } from "../../schema/limits.ts"

/** The bounds that concern the event streams alone, each with its reason; the contract's are in `schema/limits.ts`. */
export const feedLimits = {
  /** decisions 5: what `retry:` tells a client to wait before it comes back. */
  retryMillis: 3_000,
  /** decisions 5: between two heartbeats of a stream. */
  heartbeatMillis: 15_000,
  /** Longest time between two looks at all streams: lifetimes are kept to this. */
  tickMillisMax: 1_000,
  /** Looks per heartbeat, so that the heartbeats of many streams do not fall together. */
  ticksPerHeartbeat: 15,
  /** Live frames one connection gets in one turn of the event loop: sockets flush between turns, so that a burst alone makes nobody slow. */
  liveChunkBytes: 64 * 1024,
  /** Replayed frames that may be unsent: half of what would make a reader slow. */
  replayChunkBytes: limits.streamUnsentBytesMax / 2,
  /** A replay joins the live tail with at most this unsent, so that it does not start there as a slow reader. */
  attachUnsentBytesMax: limits.streamUnsentBytesMax / 4,
  /** The first replay read is small: entries may be large, and most clients miss few. */
  replayEntriesFirst: 64,
  /** Large entries make replay reads smaller, down to this. */
  replayEntriesMin: 8,
  /** Replay reads at once in a process: with the batch size it bounds the memory all replays take together. */
  replayReadsInFlightMax: 32,
  /** Live reads at once in a process; apart from the replays', which must not delay the live tail. */
  liveReadsInFlightMax: 64,
  /** A replaying reader that takes nothing for so long holds its slot for nothing. */
  replayStallMillis: 60_000,
  /** A feed with streams is read at least this often, should its hints get lost. */
  safetyReadMillis: 5_000,
  /** A feed without streams is forgotten after this; a reconnecting client finds it warm. */
  hubIdleMillis: 10_000,
  /** An opened stream whose connection does not come by then gives its slot back. */
  startTimeoutMillis: limits.requestTimeoutMillis,
  /** A stream we ended but whose client does not take the rest is cut after this. */
  endGraceMillis: 15_000,
  /** Slot releases at once in a process. */
  releasesInFlightMax: 16,
  /** Streams ended in one turn of the event loop when all must go. */
  closesPerTurn: 256,
  /** Draining waits this long for the streams to end, then cuts them. */
  drainMillis: 5_000,
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
