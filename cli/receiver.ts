import { randomBytes } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import { Agent, buildConnector, request } from "undici"
import type { Event } from "../client/src/index.ts"
import { makeId } from "../schema/ids.ts"
import { attemptHeaders } from "../src/delivery/sender/headers.ts"
import { AnswerFault } from "../src/httpClient/answerFault.ts"
import { answerHeadBytesMax, connectReadingAnswers } from "../src/httpClient/answers.ts"
import { usageFailure } from "./failure.ts"

/** A post that got no 2xx. */
export class PostFailed extends Schema.TaggedError<PostFailed>()("PostFailed", {
  /** As deliveries name it (docs/contract/deliveries.md#outcomes): `http_500`, `redirect_not_followed`, `timeout`, `connection_error`, `response_not_http`. */
  error: Schema.String,
  /** Undefined where nobody answered. */
  statusCode: Schema.optional(Schema.Number),
  millis: Schema.Number,
  /** The start of the answer's body, or why there was no connection. */
  excerpt: Schema.String,
}) {}

/** A post that was answered with 2xx. */
export interface Posted {
  readonly statusCode: number
  /** From the first byte sent to the answer's head. */
  readonly millis: number
}

/** Where events are forwarded to. */
export interface Receiver {
  readonly url: string
  /** Posts an event as the service delivers it, with both signatures. Not interrupted once it has begun; ends within 10 s. */
  readonly post: (event: Event, attempt: number) => Effect.Effect<Posted, PostFailed>
}

/** As long as the service waits (docs/contract/deliveries.md#outcomes). */
const timeoutMillis = 10_000
const excerptLengthMax = 1_024

/** A new connection for each post: a receiver that restarts cannot leave one behind that looks open and is not. */
const connections = new Agent({
  connect: connectReadingAnswers(buildConnector({ allowH2: false })),
  allowH2: false,
  pipelining: 0,
  maxHeaderSize: answerHeadBytesMax,
})

/** The body of a delivery: the event of the feed without `internal` (docs/contract/deliveries.md#payload). */
const bodyOf = ({ internal: _, ...delivered }: Event): Buffer => Buffer.from(JSON.stringify(delivered))

const readExcerpt = async (body: AsyncIterable<Buffer>): Promise<string> => {
  let text = ""
  // Leaving the loop ends the connection.
  for await (const chunk of body) {
    text += chunk.toString("utf8")
    if (text.length >= excerptLengthMax) break
  }
  return text.slice(0, excerptLengthMax).trim()
}

const send = async (url: string, headers: Record<string, string>, body: Buffer) => {
  const signal = AbortSignal.timeout(timeoutMillis)
  const answer = await request(url, { method: "POST", headers, body, signal, dispatcher: connections })
  const { statusCode } = answer
  if (statusCode >= 200 && statusCode < 300) {
    answer.body.on("error", () => {}).destroy()
    return { statusCode, excerpt: "" }
  }
  const excerpt = await readExcerpt(answer.body).catch(() => "")
  return { statusCode, excerpt }
}

const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error ? inner.message : String(inner)
}

const errorOf = (cause: unknown): string => {
  if (cause instanceof AnswerFault) return cause.fault
  return cause instanceof Error && cause.name === "TimeoutError" ? "timeout" : "connection_error"
}

const errorOfStatus = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400 ? "redirect_not_followed" : `http_${statusCode}`

/** A receiver at a URL; fails with `usage` where that is none. */
export const openReceiver = Effect.fnUntraced(function* (url: string, secret: string) {
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) {
    return yield* usageFailure(
      "forward-to",
      "--forward-to must be an http or https URL, such as http://localhost:4000.",
    )
  }
  const postOnce = Effect.fnUntraced(function* (event: Event, attempt: number) {
    const startedMillis = yield* Clock.currentTimeMillis
    const body = bodyOf(event)
    const headers = attemptHeaders(
      {
        url,
        body: "",
        secrets: [secret],
        secretRequired: true,
        eventId: event.id,
        eventType: event.type,
        deliveryId: makeId("whd_", startedMillis, 0, randomBytes(14)),
        attempt,
        traceId: event.trace_id,
      },
      body,
      Math.floor(startedMillis / 1_000),
    )
    const startedNanos = yield* Clock.monotonicTimeNanos
    const elapsed = Effect.map(Clock.monotonicTimeNanos, (now) =>
      Math.round(Number(now - startedNanos) / 1e6),
    )
    const answer = yield* Effect.tryPromise({
      try: () => send(url, headers, body),
      catch: (cause) => cause,
    }).pipe(
      Effect.catch((cause) =>
        Effect.flatMap(elapsed, (millis) => {
          const error = errorOf(cause)
          return Effect.fail(new PostFailed({ error, millis, excerpt: reasonOf(cause) }))
        }),
      ),
    )
    const { statusCode, excerpt } = answer
    const millis = yield* elapsed
    if (statusCode >= 200 && statusCode < 300) return { statusCode, millis }
    return yield* new PostFailed({ error: errorOfStatus(statusCode), statusCode, millis, excerpt })
  }, Effect.uninterruptible)
  const receiver: Receiver = { url, post: postOnce }
  return receiver
})
