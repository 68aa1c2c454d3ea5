import { isIP } from "node:net"
import type { SecureContext } from "node:tls"
import { Clock, Effect, Layer, Result, Scope } from "effect"
import { LRUCache } from "lru-cache"
import {
  type AttemptError,
  type AttemptRequest,
  type AttemptResult,
  Sender,
} from "../../../actors/ports/sender.ts"
import { limits } from "../../../schema/limits.ts"
import { DNS_TIMEOUT_MILLIS, resolveDestination } from "../destination/checkDestination.ts"
import { DnsResolver } from "../destination/dnsResolver.ts"
import {
  type AllowedOrigins,
  type ParsedDestination,
  parseDestination,
} from "../destination/parseDestination.ts"
import type { Connections } from "./connections.ts"
import { Deadlines } from "./deadlines.ts"
import { attemptHeaders, shownHeaders } from "./headers.ts"
import { type ReceiverAnswer, ReceiverRequest } from "./receiverRequest.ts"
import { type InvalidCaFile, loadTrust } from "./trust.ts"

export interface SenderOptions {
  /** `WEBHOOK_ALLOW_DESTINATIONS`, as `parseAllowedOrigins` reads it. */
  readonly allowDestinations: AllowedOrigins
  /** `WEBHOOK_CA_FILE`: PEM certificates of additional authorities to trust. */
  readonly caFile?: string
  /** Deadline of an attempt, name resolution included. Default: 10 s (docs/contract/deliveries.md#outcomes). */
  readonly timeoutMillis?: number
  /** Default: 1 KiB (docs/contract/deliveries.md#outcomes). */
  readonly bodyExcerptBytes?: number
}

/**
 * The Sender of the service: signs, checks the destination again, and posts over HTTPS to the checked addresses.
 * Fails to start with InvalidCaFile. Closes its connections with its scope; end the fibers of senders first, or their
 * attempts count as `connection_error`.
 */
export const SenderLive = (options: SenderOptions): Layer.Layer<Sender, InvalidCaFile, DnsResolver> =>
  Layer.effect(
    Sender,
    Effect.gen(function* () {
      const resolver = yield* DnsResolver
      const makeTrust = yield* loadTrust(options.caFile)
      const deadlines = yield* Deadlines.make(timeoutOf(options))
      const scope = yield* Effect.scope
      const opened = yield* Effect.cached(Scope.provide(openConnections(makeTrust), scope))
      let send: ReturnType<typeof makeSend> | undefined
      return {
        send: (request) =>
          send?.(request) ??
          Effect.flatMap(opened, (connections) => {
            send ??= makeSend({ options, resolver, connections, deadlines })
            return send(request)
          }),
      }
    }),
  )

/** The first attempt opens them: undici and the authorities take 0.1 s of CPU, and many a process never sends. */
const openConnections = (makeTrust: () => SecureContext) =>
  Effect.acquireRelease(
    Effect.map(
      Effect.promise(() => import("./connections.ts")),
      (module) => new module.Connections(makeTrust()),
    ),
    (connections) => Effect.sync(() => connections.close()),
  )

const timeoutOf = (options: SenderOptions): number => options.timeoutMillis ?? limits.attemptTimeoutMillis

/** Parsed URLs that are cached: attempts repeat theirs. */
const PARSED_URLS_MAX = 1_000

/** Checks URLs by the rules that need no lookup. */
const makeParse = (allowed: AllowedOrigins) => {
  const parsed = new LRUCache<string, ReturnType<typeof parseDestination>>({
    max: PARSED_URLS_MAX,
    memoMethod: (url) => parseDestination(url, allowed),
  })
  return (url: string) => parsed.memo(url)
}

interface SendParts {
  readonly options: SenderOptions
  readonly resolver: DnsResolver["Service"]
  readonly connections: Connections
  readonly deadlines: Deadlines
}

const makeSend = ({ options, resolver, connections, deadlines }: SendParts) => {
  const excerptBytesMax = options.bodyExcerptBytes ?? limits.responseExcerptBytes
  // At most half of an attempt, so that the other half is left to connect.
  const resolvingMillis = Math.min(DNS_TIMEOUT_MILLIS, timeoutOf(options) / 2)
  const resolve = (destination: ParsedDestination) =>
    Effect.provideService(resolveDestination(destination, resolvingMillis), DnsResolver, resolver)
  const parse = makeParse(options.allowDestinations)
  return (request: AttemptRequest): Effect.Effect<AttemptResult> =>
    Clock.clockWith((clock) => {
      const parsed = parse(request.url)
      if (Result.isFailure(parsed)) {
        return Effect.succeed(failed("blocked_destination", notSent, URL.parse(request.url)?.host ?? ""))
      }
      const destination = parsed.success
      if (request.secretRequired && request.secrets.length === 0) {
        return Effect.succeed(failed("missing_secret", notSent, destination.host))
      }
      const body = Buffer.from(request.body)
      const timestampSeconds = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
      const headers = attemptHeaders(request, body, timestampSeconds)
      const sent = { headers: shownHeaders(headers, request.extraHeaders), path: destination.path }
      const deadline = deadlines.begin(clock)
      const send = (addresses: ReadonlyArray<string>) =>
        Effect.callback<AttemptResult>((resume) => {
          const settle = (result: ReceiverAnswer) => {
            deadlines.end(deadline)
            resume(Effect.succeed(toAttemptResult(result, sent, destination.host)))
          }
          if (deadline.isOver) return settle({ kind: "timeout" })
          const input = { connections, destination, addresses, headers, body, excerptBytesMax, clock }
          const started = new ReceiverRequest(input, settle)
          deadline.onExpired = () => settle(started.expire())
          return Effect.sync(() => {
            deadlines.end(deadline)
            started.cancel()
          })
        })
      // An address needs no resolver, nor a context with one.
      if (isIP(destination.hostname) !== 0) return send([destination.hostname])
      return Effect.matchEffect(resolve(destination), {
        onSuccess: send,
        onFailure: (invalid) => {
          deadlines.end(deadline)
          return Effect.succeed(
            invalid.reason === "unresolvable"
              ? failed("connection_error", sent, destination.host)
              : failed("blocked_destination", notSent, destination.host),
          )
        },
      })
    })
}

/** What an attempt sent, or tried to send. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly path: string | null
}

const notSent: Sent = { headers: {}, path: null }

const failed = (
  error: AttemptError,
  { headers: requestHeaders, path: requestPath }: Sent,
  targetHost: string,
): AttemptResult => ({
  outcome: "failed",
  retriable: error !== "blocked_destination" && error !== "missing_secret",
  error,
  statusCode: null,
  responseMillis: null,
  responseBodyExcerpt: null,
  requestHeaders,
  requestPath,
  targetHost,
})

const toAttemptResult = (result: ReceiverAnswer, sent: Sent, targetHost: string): AttemptResult => {
  if (result.kind !== "answered") return failed(result.kind, sent, targetHost)
  const error = errorOfStatus(result.statusCode)
  return {
    outcome: error === null ? "success" : "failed",
    retriable: error !== null,
    error,
    statusCode: result.statusCode,
    responseMillis: result.millis,
    responseBodyExcerpt: result.excerpt,
    requestHeaders: sent.headers,
    requestPath: sent.path,
    targetHost,
  }
}

const errorOfStatus = (statusCode: number): AttemptError | null => {
  if (statusCode >= 200 && statusCode < 300) return null
  if (statusCode >= 300 && statusCode < 400) return "redirect_not_followed"
  return `http_${statusCode}`
}
