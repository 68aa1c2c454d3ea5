import type { FrameDigest } from "./frameLog.ts"
import type { ReadyAt } from "./streamReader.ts"

const clockLooks = 100

/** Offset to add to `performance.now()`: measured many times, taking the measurement that was interrupted least. */
const clockOffset = (): number => {
  let offset = Number.NEGATIVE_INFINITY
  for (let look = 0; look < clockLooks; look++) {
    const systemMillis = Number(process.hrtime.bigint()) / 1e6
    offset = Math.max(offset, systemMillis - performance.now())
  }
  return offset
}

const offsetMillis = clockOffset()

/** The system's monotonic clock in ms, the same in all processes of a machine. */
export const monotonicMillis = (): number => performance.now() + offsetMillis

/** Streams of one feed. */
export interface StreamTarget {
  /** Identifies the feed in its group. */
  readonly feed: string
  /** The complete request that opens a stream. */
  readonly request: string
  readonly streams: number
}

/** Requests to the client of many streams. Groups of streams are independent of each other. */
export type StreamClientRequest =
  /** Opens more streams in a group; answers once all are open. */
  | {
      readonly kind: "open"
      readonly group: string
      readonly port: number
      readonly targets: ReadonlyArray<StreamTarget>
      readonly readyAt: ReadyAt
      /** Spreads connections over 127.0.0.1, 127.0.0.2 and so on: finding a free port of one busy address is slow. */
      readonly sourceAddresses: number
    }
  /** Waits until each stream of the group has received that many events since it was opened or last taken. */
  | {
      readonly kind: "await"
      readonly group: string
      readonly events: number
      readonly timeoutMillis: number
    }
  /** Returns what was received, and forgets it. */
  | { readonly kind: "take"; readonly group: string }
  | { readonly kind: "close"; readonly group: string }

/** What the streams of a feed received. */
export interface FeedFrames extends FrameDigest {
  readonly feed: string
  /** Streams that received all these events once, in order, byte for byte the same. */
  readonly completeStreams: number
  /** When events arrived at the first few streams, on the monotonic clock. */
  readonly arrivalsMillis: ReadonlyArray<Float64Array>
}

export interface StreamClientAnswer {
  /** Streams that are open now. */
  readonly streams: number
  /** When the first stream of the last `open` was requested, and when its last was open. */
  readonly openingMillis: number
  readonly openMillis: number
  /** When the last event was complete, at any of them. */
  readonly lastEventMillis: number
  readonly feeds: ReadonlyArray<FeedFrames>
  /** The first few problems: refused, ended, or bytes that differ from another stream's. */
  readonly problems: ReadonlyArray<string>
}
