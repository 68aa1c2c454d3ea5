import { limits } from "../../../schema/limits.ts"

/** A replica's line of INFO, such as `slave0:ip=10.0.0.2,port=6379,state=online,offset=4711,lag=0`. */
const replicaLine = /^slave\d+:ip=(.+),port=(\d+),state=(\w+),offset=\d+,lag=(-?\d+)/gm

/** The addresses of the replicas that follow without a delay. */
const followersIn = (info: string): ReadonlySet<string> =>
  new Set(
    [...info.matchAll(replicaLine)].flatMap(([, host, port, state, lagSeconds]) =>
      state === "online" && Number(lagSeconds) <= limits.replicaLagSecondsMax ? [`${host}:${port}`] : [],
    ),
  )

/**
 * Watches which replicas follow a primary, by what its INFO says of replication.
 *
 * A replica that leaves has crashed or was promoted. A planned failover leaves the old primary running until its replicas and its
 * clients are told, and so does one of Sentinels that cannot reach the primary. What the old primary writes meanwhile will be lost,
 * even where another replica acknowledges it. So after a replica has left, the primary is in doubt until such news must have come.
 */
export class ReplicaWatch {
  #followers: ReadonlySet<string> = new Set()
  /** When each replica that follows no longer was missed first. */
  readonly #leftMillis = new Map<string, number>()

  /** How many follow. */
  get count(): number {
    return this.#followers.size
  }

  /** Begins anew, with another primary. */
  forget(): void {
    this.#followers = new Set()
    this.#leftMillis.clear()
  }

  /** Takes what INFO says of replication, at a time by `performance.now()`. */
  see(info: string, nowMillis: number): void {
    const followers = followersIn(info)
    for (const follower of this.#followers) {
      if (!followers.has(follower)) this.#leftMillis.set(follower, nowMillis)
    }
    for (const follower of followers) this.#leftMillis.delete(follower)
    this.#followers = followers
  }

  /** Whether a replica that left may be the primary by now, while news of that may still be on their way. */
  isInDoubt(nowMillis: number): boolean {
    for (const leftMillis of this.#leftMillis.values()) {
      if (nowMillis - leftMillis < limits.promotionNewsMillisMax) return true
    }
    return false
  }
}
