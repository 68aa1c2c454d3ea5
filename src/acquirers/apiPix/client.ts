import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Redacted, Schema } from "effect"
import type { Agent } from "undici"
import { AcquirerUnavailable } from "../../../actors/ports/acquirer.ts"
import { CurrentTrace } from "../../../actors/values/currentTrace.ts"
import { inSpan, openSpanOf } from "../../../actors/values/traceSpan.ts"
import { traceparentOf } from "../../../schema/trace.ts"
import type { BankProfile } from "./bankProfiles.ts"
import { ExchangeFailed, exchange, type Incoming, type Outgoing } from "./mtlsExchange.ts"
import { repeating, type Token, type Tokens, within } from "./tokens.ts"

/** Deadline of a call, token and retries included: far below the 30 s lease of an idempotency key. */
export const callTimeoutMillis = 10_000
/** Deadline for asking about a call's outcome; both together stay below `limits.acquirerTimeoutMillis`. */
export const lookUpTimeoutMillis = 5_000

/** A call to API Pix. */
export interface Call {
  /** The operation of the port that needs it. */
  readonly operation: string
  readonly method: Outgoing["method"]
  readonly url: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Idempotent: transient failures are retried. */
  readonly isRepeatable: boolean
  /** Default: `callTimeoutMillis`. */
  readonly timeoutMillis?: number
  /** The longest answer; default 1 MiB. */
  readonly answerBytesMax?: number
}

/** A conclusive answer: 2xx, or 4xx except 401, 408 and 429. */
export interface Answer {
  readonly statusCode: number
  /** The JSON body; undefined if there is none. */
  readonly body: unknown
}

/** Calls to one acquirer; inconclusive answers are `AcquirerUnavailable` (docs/architecture.md#rule-7). */
export interface ApiPixClient {
  readonly call: (call: Call) => Effect.Effect<Answer, AcquirerUnavailable>
}

/** The parent id of a call: its span's where that is of the resource's trace, and otherwise a random one. */
const parentIdFor = (traceId: string): Effect.Effect<string> =>
  Effect.withFiber((fiber) => {
    const span = openSpanOf(fiber)
    return Effect.succeed(span?.traceId === traceId ? span.spanId : randomBytes(8).toString("hex"))
  })

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** What the bank wants with every call, besides the token. */
export interface CallOptions {
  readonly clientId: string
  readonly bank: Pick<BankProfile, "headers">
  /** The application's key at the bank, as a header and in the query; undefined for none. */
  readonly appKey: Redacted.Redacted<string> | undefined
  /** Headers of our own choice; their values may be secrets. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
}

/** Banco do Brasil's name for the key of an application (docs/partner.md#bb). */
const appKeyName = "gw-dev-app-key"

const withAppKey = (url: string, appKey: string | undefined): string => {
  if (appKey === undefined) return url
  return `${url}${url.includes("?") ? "&" : "?"}${appKeyName}=${encodeURIComponent(appKey)}`
}

/** Makes calls with a bearer token, over connections that present our certificate. */
export const makeClient = (agent: Agent, tokens: Tokens, options: CallOptions): ApiPixClient => {
  const appKey = options.appKey && Redacted.value(options.appKey)
  const bankHeaders = Object.entries(options.bank.headers)
  const headersOf = (): Readonly<Record<string, string>> => ({
    ...Object.fromEntries(
      bankHeaders.map(([name, value]) => [name, value === "uuid" ? randomUUID() : options.clientId]),
    ),
    ...(appKey === undefined ? {} : { [appKeyName]: appKey }),
    ...(options.headers === undefined ? {} : Redacted.value(options.headers)),
  })

  const sendTraced = Effect.fnUntraced(function* ({ method, url, body, answerBytesMax }: Call, token: Token) {
    const traceId = yield* CurrentTrace
    const parentId = traceId === undefined ? undefined : yield* parentIdFor(traceId)
    return yield* exchange(agent, {
      method,
      url: withAppKey(url, appKey),
      headers: {
        ...headersOf(),
        authorization: `Bearer ${Redacted.value(token.value)}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(traceId === undefined || parentId === undefined
          ? {}
          : { traceparent: traceparentOf(traceId, parentId) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      answerBytesMax,
    })
  })

  /** Its URL may hold a txid or a key of Pix: the span has neither. */
  const send = (call: Call, token: Token) =>
    inSpan(
      `${call.method} ${call.operation}`,
      { kind: "client", attributes: { "http.request.method": call.method } },
      sendTraced(call, token),
    )

  /** Has retries of its own. */
  const currentToken = Effect.mapError(tokens.current, ({ reason }) => final(reason))

  const attempt = Effect.fnUntraced(function* (call: Call) {
    const token = yield* currentToken
    const incoming = yield* send(call, token)
    if (incoming.statusCode !== 401) return yield* toAnswer(incoming)
    // The token was revoked early. Nobody executes a call whose token is not valid (RFC 6750 3.1), so any may be sent again.
    tokens.forget(token)
    return yield* toAnswer(yield* send(call, yield* currentToken))
  })

  return {
    call: (call) => {
      const deadlineMillis = call.timeoutMillis ?? callTimeoutMillis
      const attempts = call.isRepeatable ? repeating(deadlineMillis)(attempt(call)) : attempt(call)
      return attempts.pipe(
        within(deadlineMillis),
        Effect.mapError(({ reason }) => new AcquirerUnavailable({ operation: call.operation, reason })),
      )
    },
  }
}

const final = (reason: string) =>
  new ExchangeFailed({ reason, isTransient: false, retryAfterMillis: undefined })

const toAnswer = (incoming: Incoming): Effect.Effect<Answer, ExchangeFailed> => {
  const { statusCode, text, retryAfterMillis } = incoming
  const isTransient = statusCode === 408 || statusCode === 429 || statusCode >= 500
  const isSuccess = statusCode >= 200 && statusCode < 300
  const isRefusal = statusCode >= 400 && !isTransient && statusCode !== 401
  if (!isSuccess && !isRefusal) {
    return Effect.fail(
      new ExchangeFailed({ reason: `answered ${statusCode}`, isTransient, retryAfterMillis }),
    )
  }
  const parsed = parseJson(text)
  if (parsed._tag === "Some") return Effect.succeed({ statusCode, body: parsed.value })
  return isSuccess && text.trim() !== ""
    ? Effect.fail(final(`answered ${statusCode} with invalid JSON`))
    : Effect.succeed({ statusCode, body: undefined })
}
