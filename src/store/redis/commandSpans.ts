import { Clock, Exit, type Fiber } from "effect"
import { openSpanOf, type TraceSpan } from "../../../actors/values/traceSpan.ts"
import { plainName } from "./luaFunction.ts"
import type { Argument, Outcome, Reply } from "./redisConnection.ts"

/** `FCALL charges_create`, or a command's name. Keys and values stay out. */
const nameOf = (command: string, args: ReadonlyArray<Argument>): string =>
  command === "FCALL" ? `FCALL ${plainName(String(args[0]))}` : command

/** A command's span, and beside it one for the time that its reply was held back until replicas had it. */
class TracedOutcome implements Outcome {
  readonly #parent: TraceSpan
  readonly #clock: Clock.Clock
  readonly #span: TraceSpan
  readonly #outcome: Outcome
  readonly #isHeld: boolean

  constructor(parent: TraceSpan, clock: Clock.Clock, name: string, outcome: Outcome, isHeld: boolean) {
    this.#parent = parent
    this.#clock = clock
    this.#isHeld = isHeld
    this.#outcome = outcome
    this.#span = this.#open(name, clock.currentTimeNanosUnsafe())
    this.#span.attribute("db.system.name", "redis")
  }

  answered(reply: Reply, atMillis: number): void {
    const now = this.#clock.currentTimeNanosUnsafe()
    const sinceReplyNanos = BigInt(Math.round(Math.max(0, performance.now() - atMillis) * 1e6))
    const repliedAt = now - sinceReplyNanos
    this.#span.end(repliedAt, Exit.void)
    if (this.#isHeld) this.#open("wait for replicas", repliedAt).end(now, Exit.void)
    this.#outcome.answered(reply, atMillis)
  }

  failed(cause: unknown): void {
    this.#span.end(this.#clock.currentTimeNanosUnsafe(), Exit.fail({ _tag: "StoreUnavailable" }))
    this.#outcome.failed(cause)
  }

  #open(name: string, startTime: bigint): TraceSpan {
    return this.#parent.child(name, "client", startTime)
  }
}

/**
 * Ends like `outcome`, and records the command in a span where the fiber that sends it is traced. `isHeld`: replies are held back
 * until replicas have them (docs/promises.md#replicas), which gets a span of its own.
 */
export const tracedOutcome = (
  fiber: Fiber.Fiber<unknown, unknown> | undefined,
  command: string,
  args: ReadonlyArray<Argument>,
  outcome: Outcome,
  isHeld: boolean,
): Outcome => {
  const parent = openSpanOf(fiber)
  if (fiber === undefined || parent === undefined) return outcome
  return new TracedOutcome(parent, fiber.getRef(Clock.Clock), nameOf(command, args), outcome, isHeld)
}
