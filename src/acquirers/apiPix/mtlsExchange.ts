import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import { Clock, Effect, Schema, type Scope } from "effect"
import type { Agent, Dispatcher } from "undici"
import { AnswerFault } from "../../httpClient/answerFault.ts"
import { answerHeadBytesMax, connectReadingAnswers } from "../../httpClient/answers.ts"

/** Ample for a charge with its payments; lists are longer. */
const answerBytesMaxDefault = 1024 * 1024
/** An address that does not answer must leave time for one more try within the deadline. */
const connectTimeoutMillis = 4_000
/** We close idle connections first: acquirers keep them for less than a minute. */
const idleMillis = 15_000

/** The client certificate, its key or the CA certificate is unusable. */
export class InvalidApiPixCertificate extends Schema.TaggedError<InvalidApiPixCertificate>()(
  "InvalidApiPixCertificate",
  { message: Schema.String },
) {}

/** No usable answer. `reason` contains nothing that was sent or received except the status. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  reason: Schema.String,
  /** Whether a retry may succeed. */
  isTransient: Schema.Boolean,
  /** `Retry-After` of the acquirer, in ms. */
  retryAfterMillis: Schema.UndefinedOr(Schema.Number),
}) {}

/** Our identity at the acquirer, each as PEM. */
export interface MutualTls {
  readonly cert: string
  readonly key: string
  /** Authorities to trust instead of those of Node. */
  readonly ca?: string | undefined
}

/**
 * An agent with at most `connectionsMax` connections to a host, which present our certificate and check that of the
 * acquirer while the scope is open; further calls wait within their deadline. Fails if a PEM text is unusable or the
 * key does not match the certificate.
 */
export const openAgent = (
  { cert, key, ca }: MutualTls,
  connectionsMax: number,
): Effect.Effect<Agent, InvalidApiPixCertificate, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      // Only processes that have an acquirer to call load it.
      const undici = yield* Effect.promise(() => import("undici"))
      return yield* Effect.try({
        try: () =>
          new undici.Agent({
            connect: connectReadingAnswers(
              undici.buildConnector({
                secureContext: contextOf({ cert, key, ca }),
                // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise disable verification.
                rejectUnauthorized: true,
                timeout: connectTimeoutMillis,
                allowH2: false,
              }),
            ),
            allowH2: false,
            pipelining: 1,
            connections: connectionsMax,
            maxHeaderSize: answerHeadBytesMax,
            keepAliveTimeout: idleMillis,
            // The deadline of the call covers everything.
            headersTimeout: 0,
            bodyTimeout: 0,
          }),
        catch: (error) =>
          new InvalidApiPixCertificate({
            message: `the certificate, key or authority of api-pix is not a usable PEM: ${codeOf(error)}`,
          }),
      })
    }),
    (agent) => Effect.promise(() => agent.destroy()),
  )

const contextOf = ({ cert, key, ca }: MutualTls): SecureContext => {
  if (ca === undefined) return createSecureContext({ cert, key })
  // OpenSSL skips what it cannot parse; this throws.
  new X509Certificate(ca)
  return createSecureContext({ cert, key, ca })
}

/** One HTTP request. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT" | "PATCH"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** A longer answer is no answer; default 1 MiB. */
  readonly answerBytesMax?: number | undefined
}

/** An answer, read to its end. */
export interface Incoming {
  readonly statusCode: number
  readonly text: string
  /** In ms; undefined if the answer does not ask for a pause. */
  readonly retryAfterMillis: number | undefined
}

/** Sends a request and reads the whole answer, whatever its status. Interruption closes the connection. */
export const exchange = Effect.fnUntraced(function* (agent: Agent, outgoing: Outgoing) {
  const { answerBytesMax = answerBytesMaxDefault } = outgoing
  const { statusCode, headers, text } = yield* Effect.tryPromise({
    try: async (signal) => {
      const { method, body } = outgoing
      const { origin, pathname, search } = new URL(outgoing.url)
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method,
        headers: { ...outgoing.headers },
        body: body ?? null,
        signal,
      })
      return {
        statusCode: answer.statusCode,
        headers: answer.headers,
        text: await readBounded(answer.body, answerBytesMax),
      }
    },
    catch: (error) =>
      new ExchangeFailed({
        reason: error instanceof AnswerFault ? error.message : `the connection failed: ${codeOf(error)}`,
        isTransient: true,
        retryAfterMillis: undefined,
      }),
  })
  if (text === undefined) {
    return yield* new ExchangeFailed({
      reason: `answered ${statusCode} with more than ${answerBytesMax} bytes`,
      isTransient: false,
      retryAfterMillis: undefined,
    })
  }
  const nowMillis = yield* Clock.currentTimeMillis
  const incoming: Incoming = {
    statusCode,
    text,
    retryAfterMillis: retryAfterMillisOf(headers["retry-after"], nowMillis),
  }
  return incoming
})

/** The body as text; undefined if it is too long, in which case its connection is closed. */
const readBounded = async (
  body: Dispatcher.ResponseData["body"],
  answerBytesMax: number,
): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let sizeBytes = 0
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) return undefined
    sizeBytes += chunk.byteLength
    // Leaving the loop destroys the body.
    if (sizeBytes > answerBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** `Retry-After` in ms: seconds or a date (RFC 9110). */
const retryAfterMillisOf = (
  header: string | ReadonlyArray<string> | undefined,
  nowMillis: number,
): number | undefined => {
  if (typeof header !== "string") return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1_000
  const atMillis = Date.parse(header)
  return Number.isNaN(atMillis) ? undefined : Math.max(0, atMillis - nowMillis)
}

/** Only the code of an error: messages may repeat headers, addresses or the request. */
const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown error"
}
