import type { Fiber } from "effect"
import { callerLeft } from "../../../actors/runtime/callerLeft.ts"
import type { Waiter } from "../../load/admission.ts"
import type { Place } from "../../load/fairQueue.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "./reply.ts"
import type { Incoming, Route } from "./route.ts"
import type { ServerState } from "./serverState.ts"
import type { HttpRequest } from "./uws.ts"

/** A request's way through admission: it is refused, starts at once, or waits. */
export class AdmissionTicket {
  readonly #state: ServerState
  readonly #route: Route
  /** The key it queues under; undefined until it is needed. */
  #key: string | undefined = undefined
  #place: Place<Waiter> | undefined = undefined
  #work: Fiber.Fiber<Reply, RequestFailure> | undefined = undefined
  /** When the request was complete, in ms of the meter's clock; negative if it is not measured. */
  #beganMillis = -1

  constructor(state: ServerState, route: Route) {
    this.#state = state
    this.#route = route
  }

  /** Whether it would wait too long. Must be asked before anything else is done for the request. */
  isRefused(req: HttpRequest, incoming: Incoming): boolean {
    const { admission } = this.#state
    if (this.#route.routeClass === "probe" || !admission.isCrowded) return false
    const authorization = this.#route.secured ? req.getHeader("authorization") : undefined
    return admission.refuses(this.#keyOf(authorization, incoming))
  }

  /** When a refused caller may come back. */
  retryAfter(): ReplyHeaders {
    return [["Retry-After", String(this.#state.admission.retryAfterSeconds())]]
  }

  /** Starts a complete request now or later; false if there is no room for it to wait. */
  take(waiter: Waiter, incoming: Incoming): boolean {
    const { admission, callers, meter } = this.#state
    if (callers.classOf(this.#route, incoming.authorization) !== "work") {
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
  cancel(): void {
    if (this.#beganMillis < 0) return
    this.#beganMillis = -1
    if (this.#place !== undefined) this.#state.admission.abandon(this.#place)
    this.#place = undefined
    this.#state.meter.giveUp()
  }

  /** Starts the route's program. */
  start(incoming: Incoming): Fiber.Fiber<Reply, RequestFailure> {
    const work = this.#route.start(incoming)
    this.#work = work
    return work
  }

  /** Nobody waits for the answer any more: what has begun continues, and nothing more begins. */
  callerLeft(): void {
    if (this.#work !== undefined) callerLeft(this.#work)
  }

  /** The program has ended. */
  end(): void {
    this.#work = undefined
    if (this.#beganMillis < 0) return
    this.#state.meter.end(this.#beganMillis)
    this.#state.admission.leave()
  }

  #keyOf(authorization: string | undefined, incoming: Incoming): string {
    this.#key ??= this.#state.callers.keyOf(this.#route, authorization, () => incoming.remoteAddress)
    return this.#key
  }
}
