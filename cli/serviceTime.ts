import { Context } from "effect"

/** When the command was started, by `performance.now()`: with its process, unless a test runs it within another. */
export class StartedAt extends Context.Reference<number>("corrente/cli/StartedAt", {
  defaultValue: () => 0,
}) {}

/**
 * What the service's answers tell of its time. The machine's own clock may be wrong, so only durations are taken from it: what an
 * answer says, less what has passed since.
 */
export class ServiceTime {
  /** The service's time when `performance.now()` was 0: no later than it was, and earlier by what an answer took to come. */
  #originMillis: number | undefined

  /** Sends a request, and notes when the service answered it, where it says so. `Date` is too coarse, and a proxy's at times. */
  readonly fetch: typeof globalThis.fetch = async (...request) => {
    const response = await globalThis.fetch(...request)
    const originMillis = Date.parse(response.headers.get("x-server-time") ?? "") - performance.now()
    if (originMillis > (this.#originMillis ?? Number.NEGATIVE_INFINITY)) this.#originMillis = originMillis
    return response
  }

  /** The service's time at a moment of `performance.now()`, in ms: no later than it was; undefined while no answer has told it. */
  at(moment: number): number | undefined {
    return this.#originMillis === undefined ? undefined : Math.floor(this.#originMillis + moment)
  }
}
