import { Semaphore } from "effect"
import type { TypesFilter } from "../../schema/eventChecks.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { StreamConnection } from "./streamConnection.ts"

/** The state of one feed in a process with streams of it. */
export class Hub {
  readonly feed: Feed
  /** Streams that receive what is read from now on; replaying streams are not among them. */
  readonly live: Set<FeedStream> = new Set()
  /** Streams that follow one charge each, by its id, from before they have their connections on. */
  readonly followers: Map<string, Set<FeedStream>> = new Map()
  /** Held while hints are started or stopped, so that the two never overlap. */
  readonly watchLock: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  /** The last entry that every live stream and follower has received or skipped; stale while there is none. */
  last = "0-0"
  /** Streams in any phase; a hub without streams is forgotten after a while. */
  users = 0
  idleSinceMillis = 0
  /** Something may have been appended that no read has covered. */
  isWanted = false
  /** A read is queued or running. */
  isReading = false
  readAtMillis = 0
  /** Hints were started and not stopped since. */
  isWatched = false
  /** Hints arrive; false from a break until they are restarted. */
  hintsFlow = false

  constructor(feed: Feed) {
    this.feed = { sellerId: feed.sellerId, mode: feed.mode }
  }

  /** Whether anybody needs what is appended. */
  get isFollowed(): boolean {
    return this.live.size > 0 || this.followers.size > 0
  }

  /** Adds a stream that follows a charge. */
  addFollower(stream: FeedStream, { chargeId }: Following): void {
    const others = this.followers.get(chargeId)
    if (others === undefined) this.followers.set(chargeId, new Set([stream]))
    else others.add(stream)
  }

  /** The stream receives nothing from now on. */
  drop(stream: FeedStream): void {
    this.live.delete(stream)
    if (stream.following === undefined) return
    const { chargeId } = stream.following
    const others = this.followers.get(chargeId)
    if (others?.delete(stream) && others.size === 0) this.followers.delete(chargeId)
  }
}

/** What a stream has that follows the status of one charge. */
export interface Following {
  readonly chargeId: string
  /** What counts as one client. */
  readonly client: string
  /** The status that the feed has told since; undefined: none. */
  status: TransactionStatus | undefined
}

/** The phase of a stream. */
export type StreamPhase =
  /** Opened; its connection has not arrived yet. */
  | "opening"
  /** Reads the log by itself until it has caught up with its hub. */
  | "replaying"
  /** Receives what its hub reads. */
  | "live"
  /** Closed by us; the socket may still take what was written. */
  | "closing"
  | "ended"

/** The progress of a replay. */
export interface Replay {
  /** The last entry sent or skipped by the filter. */
  position: string
  /** Entries to request in the next read. */
  entriesMax: number
  /**
   * `seq` of that entry, once one was read: sequence numbers are contiguous, so a jump means that entries were
   * trimmed.
   */
  seq: number | undefined
  /** Since when it has waited for its reader, by the monotonic clock. */
  waitingSinceMillis: number | undefined
}

/** One open stream: a plain object, because a process holds tens of thousands. Times are of the monotonic clock. */
export class FeedStream {
  /** Also the name of its slot. */
  readonly id: string
  readonly hub: Hub
  readonly types: TypesFilter | undefined
  /** The key or session it was opened with; the stream ends with it. */
  readonly credentialId: string | undefined
  /** Breaks of the hint channel before it was opened. */
  readonly epoch: number
  readonly openedMillis: number
  pingAtMillis: number
  phase: StreamPhase = "opening"
  holdsSlot = false
  connection: StreamConnection | undefined = undefined
  replay: Replay | undefined = undefined
  /** The last entry it received, if that is beyond what its hub has read. */
  ahead: string | undefined = undefined
  /** Set: it receives the status of one charge instead of events. */
  following: Following | undefined = undefined
  /** When a closing stream will be cut. */
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

/** Whether the stream's reader has too much unsent data (`docs/contract/events.md#stream-limits`). */
export const isSlow = (stream: FeedStream): boolean =>
  stream.connection !== undefined && stream.connection.unsentBytes() > limits.streamUnsentBytesMax
