import { Clock, Effect, Layer, Result } from "effect"
import {
  type AttemptError,
  type AttemptRequest,
  type AttemptResult,
  Sender,
} from "../../../actors/ports/sender.ts"
import { limits } from "../../../schema/limits.ts"
import { resolveDestination } from "../destination/checkDestination.ts"
import { DnsResolver } from "../destination/dnsResolver.ts"
import { type AllowedOrigins, parseDestination } from "../destination/parseDestination.ts"
import { Connections } from "./connections.ts"
import { Exchange, type ExchangeResult } from "./exchange.ts"
import { attemptHeaders, shownHeaders } from "./headers.ts"
import { type InvalidCaFile, loadTrust } from "./trust.ts"

export interface SenderOptions {
  /** `WEBHOOK_ALLOW_DESTINATIONS`, as `parseAllowedOrigins` reads it. */
  readonly allowDestinations: AllowedOrigins
  /** `WEBHOOK_CA_FILE`: PEM certificates of authorities to trust besides the default ones. */
  readonly caFile?: string
  /** For the whole of an attempt, name resolution included. Default: 10 s (spec 6). */
  readonly timeoutMillis?: number
  /** Default: 1 KiB (spec 6). */
  readonly bodyExcerptBytes?: number
}

/**
 * The Sender of the running service: signs, checks the destination anew, and posts over HTTPS to the addresses that
 * were checked. Fails to start with InvalidCaFile. When its scope ends it closes its connections; end the senders'
 * fibers before, or their attempts count as `connection_error`.
 */
export const SenderLive = (options: SenderOptions): Layer.Layer<Sender, InvalidCaFile, DnsResolver> =>
  Layer.effect(
    Sender,
    Effect.gen(function* () {
      const resolver = yield* DnsResolver
      const trust = yield* loadTrust(options.caFile)
      const connections = yield* Effect.acquireRelease(
        Effect.sync(() => new Connections(trust)),
        (opened) => Effect.sync(() => opened.close()),
      )
      const send = makeSend(options, connections)
      return { send: (request) => Effect.provideService(send(request), DnsResolver, resolver) }
    }),
  )

const makeSend = (options: SenderOptions, connections: Connections) => {
  const timeoutMillis = options.timeoutMillis ?? limits.attemptTimeoutMillis
  const excerptBytesMax = options.bodyExcerptBytes ?? limits.responseExcerptBytes
  return (request: AttemptRequest): Effect.Effect<AttemptResult, never, DnsResolver> =>
    Clock.clockWith((clock) => {
      const parsed = parseDestination(request.url, options.allowDestinations)
      if (Result.isFailure(parsed)) {
        return Effect.succeed(failed("blocked_destination", {}, URL.parse(request.url)?.host ?? ""))
      }
      const destination = parsed.success
      if (request.secretRequired && request.secrets.length === 0) {
        return Effect.succeed(failed("missing_secret", {}, destination.host))
      }
      const body = Buffer.from(request.body)
      const timestampSeconds = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
      const headers = attemptHeaders(request, body, timestampSeconds)
      const shown = shownHeaders(headers, request.extraHeaders)
      let exchange: Exchange | undefined
      const attempt = Effect.flatMap(resolveDestination(destination), (addresses) =>
        Effect.callback<ExchangeResult>((resume) => {
          const started = new Exchange(
            { connections, destination, addresses, headers, body, excerptBytesMax, clock },
            (result) => resume(Effect.succeed(result)),
          )
          exchange = started
          return Effect.sync(() => started.cancel())
        }),
      )
      const deadline = Effect.map(
        Effect.sleep(timeoutMillis),
        (): ExchangeResult => (exchange === undefined ? { kind: "timeout" } : exchange.expire()),
      )
      return Effect.raceFirst(attempt, deadline).pipe(
        Effect.match({
          onSuccess: (result) => toAttemptResult(result, shown, destination.host),
          onFailure: (invalid) =>
            invalid.reason === "unresolvable"
              ? failed("connection_error", shown, destination.host)
              : failed("blocked_destination", {}, destination.host),
        }),
      )
    })
}

const failed = (
  error: AttemptError,
  requestHeaders: Record<string, string>,
  targetHost: string,
): AttemptResult => ({
  outcome: "failed",
  retriable: error !== "blocked_destination" && error !== "missing_secret",
  error,
  statusCode: null,
  responseMillis: null,
  responseBodyExcerpt: null,
  requestHeaders,
  targetHost,
})

const toAttemptResult = (
  result: ExchangeResult,
  requestHeaders: Record<string, string>,
  targetHost: string,
): AttemptResult => {
  if (result.kind !== "answered") return failed(result.kind, requestHeaders, targetHost)
  const error = errorOfStatus(result.statusCode)
  return {
    outcome: error === null ? "success" : "failed",
    retriable: error !== null,
    error,
    statusCode: result.statusCode,
    responseMillis: result.millis,
    responseBodyExcerpt: result.excerpt,
    requestHeaders,
    targetHost,
  }
}

const errorOfStatus = (statusCode: number): AttemptError | null => {
  if (statusCode >= 200 && statusCode < 300) return null
  if (statusCode >= 300 && statusCode < 400) return "redirect_not_followed"
  return `http_${statusCode}`
}
