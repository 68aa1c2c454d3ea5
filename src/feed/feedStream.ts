import { Semaphore } from "effect"
import type { TypesFilter } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { StreamConnection } from "./streamConnection.ts"

/** What a process knows of one feed while it has streams of it. */
export class Hub {
  readonly feed: Feed
  /** Streams that get what is read from now on; those that replay are not among them. */
  readonly live: Set<FeedStream> = new Set()
  /** Held while hints are started or ended, so that the two never cross. */
  readonly watchLock: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  /** The last entry every live stream has, or has passed over; stale while there is none. */
  last = "0-0"
  /** Streams of any phase; a hub without any is forgotten after a while. */
  users = 0
  idleSinceMillis = 0
  /** Something may have been appended that no read has looked for. */
  isWanted = false
  /** A read is queued or under way. */
  isReading = false
  readAtMillis = 0
  /** Its hints were started and not ended since. */
  isWatched = false
  /** Its hints flow; false after a break until they were started again. */
  hintsFlow = false

  constructor(feed: Feed) {
    this.feed = { sellerId: feed.sellerId, mode: feed.mode }
  }
}

/** Where a stream stands. */
export type StreamPhase =
  /** Opened; its connection has not come yet. */
  | "opening"
  /** Reads the log on its own until it has caught up with its hub. */
  | "replaying"
  /** Gets what its hub reads. */
  | "live"
  /** Ended by us; the socket may still take what was written. */
  | "closing"
  | "ended"

/** How far a replay has come. */
export interface Replay {
  /** The last entry sent or passed over by the filter. */
  position: string
  /** Entries the next read asks for. */
  entriesMax: number
  /** `seq` of that entry, once one was read: they are contiguous, so a jump means that entries were trimmed. */
  seq: number | undefined
  /** Since when it waits for its reader, by the monotonic clock. */
  waitingSinceMillis: number | undefined
}

/** One open stream: a plain object, since a process holds tens of thousands. Times are of the monotonic clock. */
export class FeedStream {
  /** Names its slot. */
  readonly id: string
  readonly hub: Hub
  readonly types: TypesFilter | undefined
  /** The key or session it was opened under: the stream ends with it. */
  readonly credentialId: string | undefined
  /** Breaks of the hint channel before it was opened. */
  readonly epoch: number
  readonly openedMillis: number
  pingAtMillis: number
  phase: StreamPhase = "opening"
  holdsSlot = false
  connection: StreamConnection | undefined = undefined
  replay: Replay | undefined = undefined
  /** The last entry it has, where that is beyond what its hub has read. */
  ahead: string | undefined = undefined
  /** When a closing stream is cut. */
  cutAtMillis = 0

  constructor(
    id: string,
    hub: Hub,
    types: TypesFilter | undefined,
    credentialId: string | undefined,
    epoch: number,
    openedMillis: number,
    pingAtMillis: number,
  ) {
    this.id = id
    this.hub = hub
    this.types = types
    this.credentialId = credentialId
    this.epoch = epoch
    this.openedMillis = openedMillis
    this.pingAtMillis = pingAtMillis
  }
}

/** Whether the stream's reader has more unsent than it may (decisions 5). */
export const isSlow = (stream: FeedStream): boolean =>
  stream.connection !== undefined && stream.connection.unsentBytes() > limits.streamUnsentBytesMax
