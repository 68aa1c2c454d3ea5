import { Context } from "effect"

/**
 * How long requests wait in this process, for work that yields to them. 0 when idle, by the monotonic clock; a short burst or a
 * single long turn of the event loop does not raise it.
 */
export class RequestDelay extends Context.Service<
  RequestDelay,
  {
    /** How long a request that comes now is expected to wait for its answer; cheap enough to ask each turn. */
    readonly currentMillis: () => number
    /** Requests that have begun and are not answered yet. */
    readonly inProgress: () => number
    /** Requests that have begun since the process started. */
    readonly started: () => number
  }
>()("corrente/actors/RequestDelay") {}
