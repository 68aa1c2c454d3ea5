import type { Waiter } from "../load/admission.ts"
import type { Place } from "../load/fairQueue.ts"
import type { Front } from "./front.ts"
import type { Incoming, Route } from "./route.ts"
import type { HttpRequest } from "./uws.ts"

/** One request's turn to be worked on: it is refused one, takes it at once, or waits for it. */
export class Turn {
  private readonly front: Front
  private readonly route: Route
  /** With whom it takes turns; undefined where nobody has asked yet. */
  private key: string | undefined = undefined
  private place: Place<Waiter> | undefined = undefined
  /** When it was whole, in ms of the meter's clock; negative where it is not measured. */
  private beganMillis = -1

  constructor(front: Front, route: Route) {
    this.front = front
    this.route = route
  }

  /** Whether it would wait for too long. To be asked before anything else is done for it. */
  isRefused(req: HttpRequest, incoming: Incoming): boolean {
    const { admission } = this.front
    if (this.route.lane === "probe" || !admission.isCrowded) return false
    const authorization = this.route.secured ? req.getHeader("authorization") : undefined
    return admission.refuses(this.keyOf(authorization, incoming))
  }

  /** Starts a whole request now or later; false where there is no room for it to wait. */
  take(waiter: Waiter, incoming: Incoming): boolean {
    const { admission, callers, meter } = this.front
    if (callers.laneOf(this.route, incoming.authorization) !== "work") {
      waiter.start()
      return true
    }
    const bytes = incoming.body.length
    if (admission.refusesBytes(bytes)) return false
    this.beganMillis = meter.begin()
    this.place = admission.enter(waiter, () => this.keyOf(incoming.authorization, incoming), bytes)
    return true
  }

  /** It is not worked on: its client has gone, or it has waited for too long. */
  leaveUndone(): void {
    if (this.beganMillis < 0) return
    this.beganMillis = -1
    if (this.place !== undefined) this.front.admission.abandon(this.place)
    this.place = undefined
    this.front.meter.giveUp()
  }

  /** It was worked on to the end. */
  end(): void {
    if (this.beganMillis < 0) return
    this.front.meter.end(this.beganMillis)
    this.front.admission.leave()
  }

  private keyOf(authorization: string | undefined, incoming: Incoming): string {
    this.key ??= this.front.callers.keyOf(this.route, authorization, () => incoming.remoteAddress)
    return this.key
  }
}
