import type { Fiber } from "effect"
import { markGone } from "../../../actors/runtime/gone.ts"
import type { Waiter } from "../../load/admission.ts"
import type { Place } from "../../load/fairQueue.ts"
import type { Front } from "./front.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "./reply.ts"
import type { Incoming, Route } from "./route.ts"
import type { HttpRequest } from "./uws.ts"

/** A request's turn: it is refused, starts at once, or waits. */
export class Turn {
  readonly #front: Front
  readonly #route: Route
  /** The key it queues under; undefined until it is needed. */
  #key: string | undefined = undefined
  #place: Place<Waiter> | undefined = undefined
  #work: Fiber.Fiber<Reply, RequestFailure> | undefined = undefined
  /** When the request was complete, in ms of the meter's clock; negative if it is not measured. */
  #beganMillis = -1

  constructor(front: Front, route: Route) {
    this.#front = front
    this.#route = route
  }

  /** Whether it would wait too long. Must be asked before anything else is done for the request. */
  isRefused(req: HttpRequest, incoming: Incoming): boolean {
    const { admission } = this.#front
    if (this.#route.lane === "probe" || !admission.isCrowded) return false
    const authorization = this.#route.secured ? req.getHeader("authorization") : undefined
    return admission.refuses(this.#keyOf(authorization, incoming))
  }

  /** When a refused caller may come back. */
  retryAfter(): ReplyHeaders {
    return [["Retry-After", String(this.#front.admission.retryAfterSeconds())]]
  }

  /** Starts a complete request now or later; false if there is no room for it to wait. */
  take(waiter: Waiter, incoming: Incoming): boolean {
    const { admission, callers, meter } = this.#front
    if (callers.laneOf(this.#route, incoming.authorization) !== "work") {
      waiter.start()
      return true
    }
    const bytes = incoming.body.length
    if (admission.refusesBytes(bytes)) return false
    this.#beganMillis = meter.begin()
    this.#place = admission.enter(waiter, () => this.#keyOf(incoming.authorization, incoming), bytes)
    return true
  }

  /** The request is not worked on: its client has left, or it waited too long. */
  leaveUndone(): void {
    if (this.#beganMillis < 0) return
    this.#beganMillis = -1
    if (this.#place !== undefined) this.#front.admission.abandon(this.#place)
    this.#place = undefined
    this.#front.meter.giveUp()
  }

  /** Starts the route's program. */
  start(incoming: Incoming): Fiber.Fiber<Reply, RequestFailure> {
    const work = this.#route.start(incoming)
    this.#work = work
    return work
  }

  /** Nobody waits for the answer any more: what has begun continues, and nothing more begins. */
  markGone(): void {
    if (this.#work !== undefined) markGone(this.#work)
  }

  /** The program has ended. */
  end(): void {
    this.#work = undefined
    if (this.#beganMillis < 0) return
    this.#front.meter.end(this.#beganMillis)
    this.#front.admission.leave()
  }

  #keyOf(authorization: string | undefined, incoming: Incoming): string {
    this.#key ??= this.#front.callers.keyOf(this.#route, authorization, () => incoming.remoteAddress)
    return this.#key
  }
}
