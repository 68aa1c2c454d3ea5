import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import { Clock, Effect, Schema, type Scope } from "effect"
import { Agent, type Dispatcher, request } from "undici"

/** Ample for a charge with its payments; a longer answer is none that we asked for. */
const answerBytesMax = 1024 * 1024
/** An address that does not answer must leave time to try once more within a call's deadline. */
const connectTimeoutMillis = 4_000
/** Idle connections are closed by us first: partners keep them for less than a minute. */
const idleMillis = 15_000
/** Ample for the head of a JSON answer. */
const answerHeadBytesMax = 16 * 1024

/** The client certificate, its key or the authority's certificate cannot be used. */
export class InvalidApiPixCertificate extends Schema.TaggedError<InvalidApiPixCertificate>()(
  "InvalidApiPixCertificate",
  { message: Schema.String },
) {}

/** No answer that can be used. `reason` holds nothing of what was sent or answered but the status. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  reason: Schema.String,
  /** It may go better if tried again. */
  isTransient: Schema.Boolean,
  /** The partner's wish (`Retry-After`), in ms. */
  retryAfterMillis: Schema.UndefinedOr(Schema.Number),
}) {}

/** Who we are to the partner, each as PEM. */
export interface MutualTls {
  readonly cert: string
  readonly key: string
  /** The authorities to trust, instead of Node's own. */
  readonly ca?: string | undefined
}

/**
 * At most so many connections to a host, that show our certificate and check the partner's, for as long as the scope is
 * open; more calls wait for one, within their deadline. Fails on PEM texts that cannot be used, or a key that is not the
 * certificate's.
 */
export const openAgent = (
  { cert, key, ca }: MutualTls,
  connectionsMax: number,
): Effect.Effect<Agent, InvalidApiPixCertificate, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () =>
        new Agent({
          connect: {
            secureContext: contextOf({ cert, key, ca }),
            // Said outright, as NODE_TLS_REJECT_UNAUTHORIZED=0 would else switch verification off.
            rejectUnauthorized: true,
            timeout: connectTimeoutMillis,
          },
          allowH2: false,
          pipelining: 1,
          connections: connectionsMax,
          maxHeaderSize: answerHeadBytesMax,
          keepAliveTimeout: idleMillis,
          // The call's own deadline is over all of it.
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
      catch: (error) =>
        new InvalidApiPixCertificate({
          message: `the certificate, key or authority of api-pix is no usable PEM: ${codeOf(error)}`,
        }),
    }),
    (agent) => Effect.promise(() => agent.destroy()),
  )

const contextOf = ({ cert, key, ca }: MutualTls): SecureContext => {
  if (ca === undefined) return createSecureContext({ cert, key })
  // OpenSSL passes over what it cannot read; this does not.
  new X509Certificate(ca)
  return createSecureContext({ cert, key, ca })
}

/** One HTTP request. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT" | "PATCH"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** An answer, read to its end. */
export interface Incoming {
  readonly statusCode: number
  readonly text: string
  /** In ms; undefined where none is asked for. */
  readonly retryAfterMillis: number | undefined
}

/** One request and its whole answer, whatever its status. Interrupting it cuts the connection. */
export const exchange = Effect.fnUntraced(function* (agent: Agent, outgoing: Outgoing) {
  const { statusCode, headers, text } = yield* Effect.tryPromise({
    try: async (signal) => {
      const { method, url, body } = outgoing
      const answer = await request(url, {
        dispatcher: agent,
        method,
        headers: { ...outgoing.headers },
        body: body ?? null,
        signal,
      })
      return {
        statusCode: answer.statusCode,
        headers: answer.headers,
        text: await readBounded(answer.body),
      }
    },
    catch: (error) =>
      new ExchangeFailed({
        reason: `the connection failed: ${codeOf(error)}`,
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

/** The body as text; undefined if it is too long, and then its connection is closed. */
const readBounded = async (body: Dispatcher.ResponseData["body"]): Promise<string | undefined> => {
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

/** An error's code alone: messages may repeat headers, addresses or what was sent. */
const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown error"
}
