/**
 * How an attempt is sent:
 * 1. The URL is checked again, by today's rules; a destination that breaks them is not asked for its address.
 * 2. The body is signed, at the time of this attempt.
 * 3. The name is resolved anew and its addresses are checked: at most half of the attempt's time.
 * 4. The request, or the entry of a Redis Stream, goes to the checked addresses alone, over a kept connection only if that one was to
 *    the same addresses.
 * 5. Status and the beginning of the answer, or Redis' reply, are read. The deadline covers 3 to 5; what happens after it is not waited for.
 */

import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls"
import { Clock, Effect, Layer, Result, Schema, Scope } from "effect"
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
import { parseStreamUrl, streamScheme } from "../destination/parseStreamUrl.ts"
import { RedisAppend, type StreamAnswer } from "../redis/redisAppend.ts"
import { RedisConnections } from "../redis/redisConnections.ts"
import type { Connections } from "./connections.ts"
import { Deadlines } from "./deadlines.ts"
import { attemptHeaders, shownHeaders } from "./headers.ts"
import { type ReceiverAnswer, ReceiverRequest } from "./receiverRequest.ts"

/** `WEBHOOK_CA_FILE` cannot be read or contains no certificate. */
class InvalidCaFile extends Schema.TaggedError<InvalidCaFile>()("InvalidCaFile", {
  file: Schema.String,
  message: Schema.String,
}) {}

/**
 * Checks the PEM file of additional authorities, if one is given, and returns what makes the context of connections to
 * receivers, which trusts those of Node as well. Make one for all connections: parsing some 150 certificates takes 25 ms.
 */
export const loadTrust = (caFile: string | undefined): Effect.Effect<() => SecureContext, InvalidCaFile> =>
  Effect.tryPromise({
    try: async () => {
      if (caFile === undefined) return () => createSecureContext()
      const pem = await readFile(caFile, "utf8")
      // OpenSSL skips what it cannot parse; this throws.
      new X509Certificate(pem)
      // What is wrong with the file is said at the start, not by the first attempt.
      createSecureContext({ ca: pem })
      return () => createSecureContext({ ca: [...getCACertificates("default"), pem] })
    },
    catch: (error) =>
      new InvalidCaFile({
        file: String(caFile),
        message: `WEBHOOK_CA_FILE must be a readable PEM file of certificates: ${String(error)}`,
      }),
  })

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
 * The Sender of the service: signs, checks the destination again, and posts over HTTPS or appends to a Redis Stream, at the checked
 * addresses.
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

/** Connections to receivers and to Redis. */
interface Opened {
  readonly receivers: Connections
  readonly streams: RedisConnections
}

/** The first attempt opens them: undici and the authorities take 0.1 s of CPU, and many a process never sends. */
const openConnections = (makeTrust: () => SecureContext) =>
  Effect.acquireRelease(
    Effect.map(
      Effect.promise(() => import("./connections.ts")),
      (module): Opened => {
        const trust = makeTrust()
        return { receivers: new module.Connections(trust), streams: new RedisConnections(trust) }
      },
    ),
    ({ receivers, streams }) =>
      Effect.sync(() => {
        receivers.close()
        streams.close()
      }),
  )

/** What is under way: it settles once, unless it is expired or cancelled before. */
interface Sending {
  readonly expire: () => ReceiverAnswer | StreamAnswer
  readonly cancel: () => void
}

const parse = (url: string, allowed: AllowedOrigins) =>
  url.startsWith(streamScheme)
    ? Result.map(parseStreamUrl(url, allowed), ({ destination }) => destination)
    : parseDestination(url, allowed)

const timeoutOf = (options: SenderOptions): number => options.timeoutMillis ?? limits.attemptTimeoutMillis

interface SendParts {
  readonly options: SenderOptions
  readonly resolver: DnsResolver["Service"]
  readonly connections: Opened
  readonly deadlines: Deadlines
}

const makeSend = ({ options, resolver, connections, deadlines }: SendParts) => {
  const excerptBytesMax = options.bodyExcerptBytes ?? limits.responseExcerptBytes
  // At most half of an attempt, so that the other half is left to connect.
  const resolvingMillis = Math.min(DNS_TIMEOUT_MILLIS, timeoutOf(options) / 2)
  const resolve = (destination: ParsedDestination) =>
    Effect.provideService(resolveDestination(destination, resolvingMillis), DnsResolver, resolver)
  return (request: AttemptRequest): Effect.Effect<AttemptResult> =>
    Clock.clockWith((clock) => {
      const parsed = parse(request.url, options.allowDestinations)
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
      const path = destination.stream === undefined ? destination.path : null
      const sent = { headers: shownHeaders(headers, request.extraHeaders), path }
      const deadline = deadlines.begin(clock)
      const send = (addresses: ReadonlyArray<string>) =>
        Effect.callback<AttemptResult>((resume) => {
          const settle = (result: ReceiverAnswer | StreamAnswer) => {
            deadlines.end(deadline)
            resume(Effect.succeed(toAttemptResult(result, sent, destination.host)))
          }
          if (deadline.isOver) return settle({ kind: "timeout" })
          const to = { destination, addresses, headers, clock }
          const { receivers, streams } = connections
          const { urlPassword: password = "", eventType } = request
          const started: Sending =
            destination.stream === undefined
              ? new ReceiverRequest({ ...to, connections: receivers, body, excerptBytesMax }, settle)
              : new RedisAppend(
                  { ...to, connections: streams, password, eventType, body: request.body },
                  settle,
                )
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

const toAttemptResult = (
  result: ReceiverAnswer | StreamAnswer,
  sent: Sent,
  targetHost: string,
): AttemptResult => {
  if (result.kind === "appended" || result.kind === "refused") return streamResult(result, sent, targetHost)
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

const streamResult = (
  answer: Extract<StreamAnswer, { readonly millis: number }>,
  sent: Sent,
  targetHost: string,
): AttemptResult => {
  const error = answer.kind === "refused" ? answer.error : null
  return {
    outcome: error === null ? "success" : "failed",
    retriable: error !== null,
    error,
    statusCode: null,
    responseMillis: answer.millis,
    responseBodyExcerpt: answer.excerpt,
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
