import { Clock, Effect, Schedule } from "effect"
import { isResponseFault } from "../actors/values/responseFault.ts"
import type { Event } from "../client/src/index.ts"
import { inert } from "../src/ops/text/values.ts"
import { Output } from "./output.ts"
import type { Posted, PostFailed, Receiver } from "./receiver.ts"
import { timeOf } from "./texts.ts"

/** What `listen` has done so far. */
export class Tally {
  /** Whether the feed has ever been open. */
  hasOpened = false
  /** Events that the receiver answered with 2xx. */
  forwarded = 0
  /** Events that it did not, and that are not tried again. */
  failed = 0
  /** The newest of these. */
  readonly failedIds: Array<string> = []
  /** The event that is being sent, or sent again. */
  pendingId: string | undefined
  /** The last event that was forwarded, failed or left out. */
  lastEventId: string | undefined

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId
  }

  /** Counts an event whose post has failed for good. */
  fail(eventId: string): void {
    this.failed += 1
    this.failedIds.push(eventId)
    if (this.failedIds.length > failedIdsMax) this.failedIds.shift()
  }
}

const failedIdsMax = 100
/** An event that the receiver itself refuses so often is given up, as by the service; one that it never saw is not. */
const refusalsMax = 6
const retrySchedule = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("10 seconds")])

const firstLineOf = (text: string): string => text.split(/\r?\n/, 1)[0] ?? ""

const headOf = (paint: Output["Service"]["paint"], millis: number, event: Event): string =>
  `${paint("dim", timeOf(millis))} ${paint("cyan", inert(event.type).padEnd(30))} ${inert(event.id)}`

/** Tells of a post that was answered with 2xx. */
export const tellPosted = Effect.fnUntraced(function* (event: Event, attempt: number, posted: Posted) {
  const { paint, tell } = yield* Output
  const { statusCode, millis } = posted
  const head = headOf(paint, yield* Clock.currentTimeMillis, event)
  yield* tell({
    json: {
      line: "forwarded",
      event_id: event.id,
      event_type: event.type,
      seq: event.seq,
      attempt,
      status: statusCode,
      millis,
    },
    text: `${head} ${paint("green", `→ ${statusCode}`)} ${paint("dim", `${millis} ms`)}`,
  })
})

/** Tells of a post that failed, and what becomes of the event. */
export const tellFailed = Effect.fnUntraced(function* (
  event: Event,
  attempt: number,
  failure: PostFailed,
  next: string,
) {
  const { paint, tell } = yield* Output
  const { error, statusCode: status = null, millis, excerpt } = failure
  const head = headOf(paint, yield* Clock.currentTimeMillis, event)
  const why = excerpt === "" ? "" : `\n         ${inert(firstLineOf(excerpt).slice(0, 200))}`
  yield* tell({
    json: {
      line: "failed",
      event_id: event.id,
      event_type: event.type,
      seq: event.seq,
      attempt,
      status,
      error,
      excerpt,
      millis,
      next,
    },
    text: `${head} ${paint("red", `✗ ${error}`)} ${paint("dim", `${millis} ms`)}  ${next}${why}`,
  })
})

/** How an event is forwarded. */
export interface ForwardOptions {
  readonly receiver: Receiver
  /** Whether a failed post is repeated: while nobody answers for as long as it takes, after a refusal up to six times. */
  readonly isRetried: boolean
  readonly tally: Tally
}

/**
 * Forwards an event and tells how it went; never fails. Interruption waits for a post that has begun, so that it is known how it
 * ended.
 */
export const forward = (event: Event, { receiver, isRetried, tally }: ForwardOptions) =>
  Effect.suspend(() => {
    let attempt = 0
    let refusals = 0
    const isFinal = (failure: PostFailed) => {
      if (failure.statusCode !== undefined || isResponseFault(failure.error)) refusals += 1
      return !isRetried || refusals >= refusalsMax
    }
    const finish = () => {
      tally.pendingId = undefined
      tally.lastEventId = event.id
    }
    const post = Effect.suspend(() => receiver.post(event, ++attempt)).pipe(
      Effect.matchEffect({
        onSuccess: (posted) =>
          Effect.suspend(() => {
            tally.forwarded += 1
            finish()
            return Effect.as(tellPosted(event, attempt, posted), "done" as const)
          }),
        onFailure: (failure) =>
          Effect.suspend(() => {
            const isOver = isFinal(failure)
            if (isOver) {
              tally.fail(event.id)
              finish()
            }
            const next = isOver ? "not repeated" : "trying again"
            const told = tellFailed(event, attempt, failure, next)
            return isOver ? Effect.as(told, "done" as const) : Effect.andThen(told, Effect.fail(failure))
          }),
      }),
      Effect.uninterruptible,
    )
    tally.pendingId = event.id
    return Effect.retry(post, { schedule: retrySchedule })
  }).pipe(Effect.ignore)
