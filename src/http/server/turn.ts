import type { Fiber } from "effect"
import { markGone } from "../../../actors/runtime/gone.ts"
import type { Waiter } from "../../load/admission.ts"
import type { Place } from "../../load/fairQueue.ts"
import type { Front } from "./front.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "./request.ts"
import type { Incoming, Route } from "./route.ts"
import type { HttpRequest } from "./uws.ts"

/** One request's turn to be worked on: it is refused one, takes it at once, or waits for it. */
export class Turn {
  readonly #front: Front
  readonly #route: Route
  /** With whom it takes turns; undefined where nobody has asked yet. */
  #key: string | undefined = undefined
  #place: Place<Waiter> | undefined = undefined
  #work: Fiber.Fiber<Reply, RequestFailure> | undefined = undefined
  /** When it was whole, in ms of the meter's clock; negative where it is not measured. */
  #beganMillis = -1

  constructor(front: Front, route: Route) {
    this.#front = front
    this.#route = route
  }

  /** Whether it would wait for too long. To be asked before anything else is done for it. */
  isRefused(req: HttpRequest, incoming: Incoming): boolean {
    const { admission } = this.#front
    if (this.#route.lane === "probe" || !admission.isCrowded) return false
    const authorization = this.#route.secured ? req.getHeader("authorization") : undefined
    return admission.refuses(this.#keyOf(authorization, incoming))
  }

  /** When who is refused may come again. */
  retryAfter(): ReplyHeaders {
    return [["Retry-After", String(this.#front.admission.retryAfterSeconds())]]
  }

  /** Starts a whole request now or later; false where there is no room for it to wait. */
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

  /** It is not worked on: its client has gone, or it has waited for too long. */
  leaveUndone(): void {
    if (this.#beganMillis < 0) return
    this.#beganMillis = -1
    if (this.#place !== undefined) this.#front.admission.abandon(this.#place)
    this.#place = undefined
    this.#front.meter.giveUp()
  }

  /** Works on it. */
  start(incoming: Incoming): Fiber.Fiber<Reply, RequestFailure> {
    const work = this.#route.start(incoming)
    this.#work = work
    return work
  }

  /** Nobody waits for its answer any more: what has been begun of it goes on, and no more is begun. */
  markGone(): void {
    if (this.#work !== undefined) markGone(this.#work)
  }

  /** It was worked on to the end. */
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
