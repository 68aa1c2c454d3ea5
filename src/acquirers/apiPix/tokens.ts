import {
  Clock,
  Deferred,
  Duration,
  Effect,
  Redacted,
  Schedule,
  Schema,
  SchemaGetter,
  type Scope,
} from "effect"
import type { Agent } from "undici"
import type { BankProfile } from "./bankProfiles.ts"
import { ExchangeFailed, exchange, type Incoming, type Outgoing } from "./mtlsExchange.ts"

/** Short outages are over by then, and both retries fit well within the deadline. */
const firstRetryMillis = 200
/** More retries would only load an acquirer that is down. */
const retriesMax = 2

/**
 * Retries transient failures (429, 5xx, connection) at most twice: after 200 ms and 400 ms, or as `Retry-After` says
 * unless that exceeds the deadline. Only for idempotent calls.
 */
export const repeating =
  (deadlineMillis: number) =>
  <A>(attempt: Effect.Effect<A, ExchangeFailed>): Effect.Effect<A, ExchangeFailed> =>
    Effect.retry(
      attempt,
      Schedule.exponential(firstRetryMillis).pipe(
        Schedule.setInputType<ExchangeFailed>(),
        Schedule.while(({ input }) => input.isTransient && (input.retryAfterMillis ?? 0) < deadlineMillis),
        Schedule.modifyDelay(({ input, duration }) =>
          Effect.succeed(Math.max(Duration.toMillis(duration), input.retryAfterMillis ?? 0)),
        ),
        Schedule.upTo({ times: retriesMax }),
      ),
    )

/** Fails after the deadline, which covers token, retries and pauses. */
export const within =
  (deadlineMillis: number) =>
  <A>(attempt: Effect.Effect<A, ExchangeFailed>): Effect.Effect<A, ExchangeFailed> =>
    Effect.timeoutOrElse(attempt, {
      duration: deadlineMillis,
      orElse: () =>
        Effect.fail(
          new ExchangeFailed({
            reason: `did not answer within ${deadlineMillis} ms`,
            isTransient: false,
            retryAfterMillis: undefined,
          }),
        ),
    })

/** As long as a call may take; callers that wait for a token have their own deadlines. */
const tokenTimeoutMillis = 10_000
/** Tokens are renewed this long before they expire, since clocks differ and requests take time. */
const marginMillis = 30_000
/** RFC 6749 only recommends `expires_in`; a token without it is assumed to be short-lived. */
const defaultLifeSeconds = 60

/** Where to get tokens, and the credentials for it. */
export interface TokenOptions {
  readonly tokenUrl: string
  readonly clientId: string
  /** Undefined where the certificate is the only credential. */
  readonly clientSecret: Redacted.Redacted | undefined
  readonly bank: Pick<BankProfile, "tokenForm" | "basicGrant" | "scope">
}

/** A bearer token. */
export interface Token {
  readonly value: Redacted.Redacted
  readonly usableUntilMillis: number
}

/** The tokens of one client. */
export interface Tokens {
  /** A token that is valid for a while; requested once, however many callers wait. */
  readonly current: Effect.Effect<Token, ExchangeFailed>
  /** Drops a token that the acquirer rejected; the next caller gets another. */
  readonly forget: (token: Token) => void
}

const isPositive = Schema.isGreaterThan(0)

/** Seconds as RFC 6749 writes them, or as text, which API gateways make of them. */
const Seconds = Schema.Union([
  Schema.Finite.check(isPositive),
  Schema.String.check(Schema.isPattern(/^\d{1,9}$/)).pipe(
    Schema.decodeTo(Schema.Finite.check(isPositive), {
      decode: SchemaGetter.Number(),
      encode: SchemaGetter.String(),
    }),
  ),
])

/** RFC 6749 5.1; the token must fit a header. */
const TokenAnswer = Schema.fromJsonString(
  Schema.Struct({
    access_token: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/)),
    expires_in: Schema.optional(Schema.NullOr(Seconds)),
  }),
)
const decodeTokenAnswer = Schema.decodeUnknownEffect(TokenAnswer)

/** OAuth2 client credentials (RFC 6749 4.4), over the same mutual TLS as the calls. */
export const makeTokens = Effect.fnUntraced(function* (
  agent: Agent,
  options: TokenOptions,
): Effect.fn.Return<Tokens, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const state: { token: Token | undefined; renewal: Deferred.Deferred<Token, ExchangeFailed> | undefined } = {
    token: undefined,
    renewal: undefined,
  }

  const fetchToken = Effect.gen(function* () {
    const askedMillis = yield* Clock.currentTimeMillis
    const incoming = yield* askForToken(agent, options)
    const answer = yield* Effect.mapError(decodeTokenAnswer(incoming.text), () =>
      refused("the token response is malformed"),
    )
    const lifeMillis = (answer.expires_in ?? defaultLifeSeconds) * 1_000
    const token: Token = {
      value: Redacted.make(answer.access_token),
      // A token shorter than two margins is used for half its life.
      usableUntilMillis: askedMillis + lifeMillis - Math.min(marginMillis, lifeMillis / 2),
    }
    state.token = token
    return token
  }).pipe(within(tokenTimeoutMillis))

  /** Runs in its own fiber, so that a caller that gives up does not take the token from the others. */
  const renew = Effect.suspend(() => {
    if (state.renewal !== undefined) return Effect.succeed(state.renewal)
    const renewal = Deferred.makeUnsafe<Token, ExchangeFailed>()
    state.renewal = renewal
    return fetchToken.pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          state.renewal = undefined
          Deferred.doneUnsafe(renewal, exit)
        }),
      ),
      Effect.forkIn(scope),
      Effect.as(renewal),
    )
  }).pipe(Effect.uninterruptible)

  return {
    current: Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      state.token !== undefined && nowMillis < state.token.usableUntilMillis
        ? Effect.succeed(state.token)
        : Effect.flatMap(renew, Deferred.await),
    ),
    forget: (token) => {
      if (state.token === token) state.token = undefined
    },
  }
})

/** A request for a token in the bank's form (RFC 6749 4.4). */
const tokenRequestOf = ({ tokenUrl, clientId, clientSecret, bank }: TokenOptions): Outgoing => {
  const { tokenForm, scope } = bank
  const isJson = tokenForm === "basic" && bank.basicGrant === "json"
  const secret = clientSecret === undefined ? undefined : Redacted.value(clientSecret)
  const grant = { grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }
  const credentials = { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) }
  const form = {
    ...(tokenForm === "query" ? {} : grant),
    ...(tokenForm === "basic" ? {} : credentials),
  }
  const basic = Buffer.from(`${clientId}:${secret ?? ""}`).toString("base64")
  return {
    method: "POST",
    url: tokenForm === "query" ? `${tokenUrl}?${new URLSearchParams(grant)}` : tokenUrl,
    headers: {
      ...(tokenForm === "basic" ? { authorization: `Basic ${basic}` } : {}),
      "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: isJson ? JSON.stringify(grant) : new URLSearchParams(form).toString(),
  }
}

const askForToken = (agent: Agent, options: TokenOptions): Effect.Effect<Incoming, ExchangeFailed> =>
  exchange(agent, tokenRequestOf(options)).pipe(
    Effect.flatMap((incoming) => {
      const { statusCode, retryAfterMillis } = incoming
      if (statusCode === 200 || statusCode === 201) return Effect.succeed(incoming)
      const isTransient = statusCode === 429 || statusCode >= 500
      return Effect.fail(
        new ExchangeFailed({
          reason: `the token request was answered ${statusCode}`,
          isTransient,
          retryAfterMillis,
        }),
      )
    }),
    repeating(tokenTimeoutMillis),
  )

const refused = (reason: string) =>
  new ExchangeFailed({ reason, isTransient: false, retryAfterMillis: undefined })
