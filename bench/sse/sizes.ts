import type { Size } from "../report/result.ts"

/** Parameters of a size. */
export interface SseSize {
  readonly idleStreams: number
  readonly idleRounds: number
  /** Streams of the feed with fan-out. */
  readonly subscribers: number
  readonly fanOutEventsPerSecond: number
  readonly burstEvents: number
  readonly latencyStreams: number
  readonly latencyEventsPerSecond: number
  readonly replayEvents: number
  readonly replayRounds: number
  /** For fan-out and latency. */
  readonly rounds: number
  readonly warmUpMillis: number
  readonly measureMillis: number
}

/** Sizes of the suite `sse`. */
export const sseSizes: Readonly<Record<Size, SseSize>> = {
  small: {
    idleStreams: 50,
    idleRounds: 1,
    subscribers: 20,
    fanOutEventsPerSecond: 100,
    burstEvents: 5,
    latencyStreams: 4,
    latencyEventsPerSecond: 500,
    replayEvents: 500,
    replayRounds: 2,
    rounds: 2,
    warmUpMillis: 100,
    measureMillis: 200,
  },
  default: {
    idleStreams: 5_000,
    idleRounds: 3,
    subscribers: 1_000,
    fanOutEventsPerSecond: 80,
    burstEvents: 20,
    latencyStreams: 4,
    latencyEventsPerSecond: 2_000,
    replayEvents: 10_000,
    replayRounds: 9,
    rounds: 5,
    warmUpMillis: 3_000,
    measureMillis: 3_000,
  },
  full: {
    idleStreams: 20_000,
    idleRounds: 3,
    subscribers: 1_000,
    fanOutEventsPerSecond: 80,
    burstEvents: 20,
    latencyStreams: 4,
    latencyEventsPerSecond: 2_000,
    replayEvents: 10_000,
    replayRounds: 21,
    rounds: 9,
    warmUpMillis: 5_000,
    measureMillis: 10_000,
  },
}
