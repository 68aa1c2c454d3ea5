import { limits } from "../../../schema/limits.ts"
import type { Reply } from "./redisConnection.ts"

/** A replica's line of INFO, such as `slave0:ip=10.0.0.2,port=6379,state=online,offset=4711,lag=0`. */
const replicaLine = /^slave\d+:ip=(.+),port=(\d+),state=(\w+),offset=\d+,lag=(-?\d+)/gm

/** The addresses of the replicas that follow without a delay. */
const followersIn = (info: string): ReadonlySet<string> =>
  new Set(
    [...info.matchAll(replicaLine)].flatMap(([, host, port, state, lagSeconds]) =>
      state === "online" && Number(lagSeconds) <= limits.replicaLagSecondsMax ? [`${host}:${port}`] : [],
    ),
  )

/** Whether a server says by its INFO that it is a primary. */
const isPrimary = (info: Reply): boolean => /^role:master\r?$/m.test(String(info))

/** The history that a primary writes, by its INFO; undefined for a replica. */
export const historyOf = (info: Reply): string | undefined =>
  isPrimary(info) ? /^master_replid:(\w+)/m.exec(String(info))?.[1] : undefined

/** The history that a server followed before it became a primary, by its INFO. */
const formerHistoryOf = (info: Reply): string | undefined => /^master_replid2:(\w+)/m.exec(String(info))?.[1]

/** A server that does not follow the primary, and may have taken its place. */
interface Absent {
  readonly sinceMillis: number
  /** Whether it followed before, and has left. Otherwise it was away when we came. */
  readonly hasLeft: boolean
  /** What it said last, or `other` where it has never been reached; undefined: it has yet to be asked. */
  role: "newPrimary" | "other" | undefined
}

/**
 * Watches which replicas follow a primary, by what its INFO says of replication.
 *
 * A replica that leaves has crashed or was promoted. A planned failover leaves the old primary running until its replicas and its
 * clients are told, and so does one of Sentinels that cannot reach the primary. What the old primary writes meanwhile will be lost,
 * even where another replica acknowledges it. So after a replica has left, the primary is in doubt: until the replica, which is asked
 * meanwhile, must have been promoted, and on while it says that it is a primary. News of that may come late, on a busy machine or where
 * the network between Sentinels and us fails.
 *
 * A process that connects after that has not seen the replica leave. So it asks the servers that are known to replicate this primary
 * and do not follow it: one that was promoted names the primary's history as its former one.
 */
export class ReplicaWatch {
  #history: string | undefined
  #followers: ReadonlySet<string> = new Set()
  /** The servers that do not follow, by their addresses. */
  readonly #absent = new Map<string, Absent>()

  /** How many follow. */
  get count(): number {
    return this.#followers.size
  }

  /**
   * Begins anew, with a primary of this history by its INFO, at a time by `performance.now()`. `known` are the addresses of the servers
   * that replicate it, as Sentinels or the cluster say; undefined history: it is no primary.
   */
  begin(history: string | undefined, info: string, known: ReadonlyArray<string>, nowMillis: number): void {
    this.#history = history
    this.#absent.clear()
    this.#followers = history === undefined ? new Set() : followersIn(info)
    for (const address of known) {
      if (this.#followers.has(address)) continue
      this.#absent.set(address, { sinceMillis: nowMillis, hasLeft: false, role: undefined })
    }
  }

  /** Takes what INFO says of replication, at a time by `performance.now()`. */
  see(info: string, nowMillis: number): void {
    const followers = followersIn(info)
    for (const follower of this.#followers) {
      if (!followers.has(follower))
        this.#absent.set(follower, { sinceMillis: nowMillis, hasLeft: true, role: undefined })
    }
    for (const follower of followers) this.#absent.delete(follower)
    this.#followers = followers
  }

  /** The addresses of servers to be asked what they are by now. Forgets those that are away for too long. */
  toAsk(nowMillis: number): ReadonlySet<string> {
    for (const [address, { sinceMillis }] of this.#absent) {
      if (nowMillis - sinceMillis >= limits.promotionNewsMillisMax) this.#absent.delete(address)
    }
    return new Set(this.#absent.keys())
  }

  /** Takes the INFO of a server that was asked; undefined: it cannot be reached, and stays what it said before. */
  hear(address: string, info: Reply | undefined): void {
    const absent = this.#absent.get(address)
    if (absent === undefined) return
    if (info === undefined) {
      absent.role ??= "other"
      return
    }
    const isNew = isPrimary(info) && (absent.hasLeft || formerHistoryOf(info) === this.#history)
    absent.role = isNew ? "newPrimary" : "other"
  }

  /** Whether servers that were away when we came have yet to say what they are. Those that hang are waited for so long. */
  isAsking(nowMillis: number, waitMillisMax: number): boolean {
    return [...this.#absent.values()].some(
      ({ hasLeft, role, sinceMillis }) =>
        !hasLeft && role === undefined && nowMillis - sinceMillis < waitMillisMax,
    )
  }

  /** Why the primary may have been replaced without our having heard of it; undefined: it is the primary. */
  doubt(nowMillis: number): string | undefined {
    const absent = [...this.#absent]
    const promoted = absent.find(([, { role }]) => role === "newPrimary")
    if (promoted !== undefined) return `${promoted[0]} followed, and is a primary now`
    const isNew = absent.some(
      ([, { hasLeft, sinceMillis }]) => hasLeft && nowMillis - sinceMillis < limits.replicaLeftDoubtMillis,
    )
    return isNew ? "a replica has left, and may be the new primary" : undefined
  }
}
