import type { FrameDigest } from "./frameLog.ts"
import type { ReadyAt } from "./streamReader.ts"

const clockLooks = 100

/** What to add to `performance.now()`: of many looks the one that was interrupted for the shortest time between its two. */
const clockOffset = (): number => {
  let offset = Number.NEGATIVE_INFINITY
  for (let look = 0; look < clockLooks; look++) {
    const systemMillis = Number(process.hrtime.bigint()) / 1e6
    offset = Math.max(offset, systemMillis - performance.now())
  }
  return offset
}

const offsetMillis = clockOffset()

/** ms of the system's monotonic clock, which is the same in all processes of a machine. */
export const monotonicMillis = (): number => performance.now() + offsetMillis

/** Streams of one feed. */
export interface StreamTarget {
  /** Names the feed among those of its group. */
  readonly feed: string
  /** The whole request that opens a stream of it. */
  readonly request: string
  readonly streams: number
}

/** What the client of many streams is asked. Streams belong to groups, which know nothing of each other. */
export type StreamClientRequest =
  /** Opens streams, besides those that the group has; answers once all are open. */
  | {
      readonly kind: "open"
      readonly group: string
      readonly port: number
      readonly targets: ReadonlyArray<StreamTarget>
      readonly readyAt: ReadyAt
      /** 127.0.0.1, 127.0.0.2 and so on, in turn: the system is slow to find ports for many of one address. */
      readonly sourceAddresses: number
    }
  /** Waits until each of the group's streams has had so many events since it was opened or last taken. */
  | {
      readonly kind: "await"
      readonly group: string
      readonly events: number
      readonly timeoutMillis: number
    }
  /** Hands over what came, and forgets it. */
  | { readonly kind: "take"; readonly group: string }
  | { readonly kind: "close"; readonly group: string }

/** What came to one feed's streams. */
export interface FeedFrames extends FrameDigest {
  readonly feed: string
  /** Streams that had all of these events, once, in order, byte for byte the same. */
  readonly completeStreams: number
  /** Arrivals of the events at each stream, on the monotonic clock; of the first few streams. */
  readonly arrivalsMillis: ReadonlyArray<Float64Array>
}

export interface StreamClientAnswer {
  /** Open now. */
  readonly streams: number
  /** When the first of the streams that the last `open` opened was asked for, and when the last was open. */
  readonly openingMillis: number
  readonly openMillis: number
  /** When the last event came whole, at any of them. */
  readonly lastEventMillis: number
  readonly feeds: ReadonlyArray<FeedFrames>
  /** The first of what was wrong: refused, ended, other bytes than another stream's. */
  readonly problems: ReadonlyArray<string>
}
