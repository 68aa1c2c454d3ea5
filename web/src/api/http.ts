import { CorrenteError, errorOfAnswer } from "../../../client/src/errors.ts"
import { pause, retryWaitMillis, withDeadline } from "../../../client/src/waiting.ts"
import { prefix } from "../prefix.ts"
import { tellRetry } from "./retrying.ts"
import { loseSession, mode } from "./session.ts"
import { askStepUp } from "./stepUp.ts"

const timeoutMillis = 30_000
const retriesMax = 3

/** Parameters of a query; those that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

export interface RequestOptions {
  readonly query?: Query
  readonly body?: unknown
  /** For requests that create something; kept over repetitions. */
  readonly idempotencyKey?: string
  /** Whether a repetition does no harm, though nothing names it. Default: only for GET. */
  readonly isRepeatable?: boolean
  /** Media type of the answer. Default: JSON. */
  readonly accept?: string
  /** Ends the request with code `aborted`. */
  readonly signal?: AbortSignal
  /** False where a 403 `mfa_required` is the caller's to handle. Default: true. */
  readonly asksStepUp?: boolean
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** A path with its query. */
export const pathOf = (path: string, query: Query = {}): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value))
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

const attempt = (method: Method, path: string, options: RequestOptions): Promise<Response> => {
  const { query, body, idempotencyKey, signal, accept = "application/json" } = options
  const headers = new Headers({ accept, "x-mode": mode.value })
  if (body !== undefined) headers.set("content-type", "application/json")
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  return withDeadline(timeoutMillis, signal, async (inner) => {
    const response = await fetch(prefix + pathOf(path, query), {
      method,
      headers,
      credentials: "same-origin",
      signal: inner,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.ok) return response
    throw errorOfAnswer(response.status, response.headers, await response.text())
  })
}

/** Tries again after failures that pass by themselves, where a repetition changes nothing. */
const send = async (method: Method, path: string, options: RequestOptions): Promise<Response> => {
  const isRepeatable = options.isRepeatable ?? (method === "GET" || options.idempotencyKey !== undefined)
  for (let failures = 0; ; failures++) {
    try {
      return await attempt(method, path, options)
    } catch (error) {
      if (!(error instanceof CorrenteError) || failures >= retriesMax) throw error
      // Whoever tried something too often is told so at once; what only reads comes again when the service says.
      const isTooOften = error.status === 429 && method !== "GET"
      const waitMillis = isTooOften ? undefined : retryWaitMillis(error, failures, isRepeatable)
      if (waitMillis === undefined) throw error
      await tellRetry(error, pause(waitMillis, options.signal))
    }
  }
}

/**
 * Sends a request of the session, in the mode of the page. A 403 `mfa_required` opens the step-up dialog; once it is
 * confirmed the request goes on by itself. A session that has ended leads to the sign-in page. Fails with CorrenteError.
 */
const request = async (method: Method, path: string, options: RequestOptions): Promise<Response> => {
  try {
    return await send(method, path, options)
  } catch (error) {
    if (!(error instanceof CorrenteError)) throw error
    if (error.code === "session_required") loseSession()
    const isStepUp = error.code === "mfa_required" && (options.asksStepUp ?? true)
    if (isStepUp && (await askStepUp())) return send(method, path, options)
    throw error
  }
}

const json = async <A>(method: Method, path: string, options: RequestOptions): Promise<A> => {
  const response = await request(method, path, options)
  const text = await response.text()
  return (text === "" ? undefined : JSON.parse(text)) as A
}

/** The service's routes, under the session of the page. */
export const api = {
  get: <A>(path: string, query?: Query, options: RequestOptions = {}) =>
    json<A>("GET", path, query === undefined ? options : { ...options, query }),
  post: <A>(path: string, body: unknown = {}, options: RequestOptions = {}) =>
    json<A>("POST", path, { ...options, body }),
  put: <A>(path: string, body: unknown, options: RequestOptions = {}) =>
    json<A>("PUT", path, { ...options, body }),
  patch: <A>(path: string, body: unknown, options: RequestOptions = {}) =>
    json<A>("PATCH", path, { ...options, body }),
  delete: <A>(path: string, options: RequestOptions = {}) => json<A>("DELETE", path, options),
  /** The bytes of an answer, for downloads. An answer that was cut fails with code `incomplete_download`. */
  download: async (path: string, query: Query, accept?: string): Promise<Blob> => {
    const response = await request("GET", path, accept === undefined ? { query } : { query, accept })
    try {
      return await response.blob()
    } catch (cause) {
      throw new CorrenteError({ code: "incomplete_download", message: "The download was cut.", cause })
    }
  },
}

/** A page of a list, as the service answers it. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}

const idempotencyKeyBytes = 16

/** A key for a request that creates something: the same over repetitions, another for the next form. */
export const newIdempotencyKey = (): string =>
  // `crypto.randomUUID` is there on https and localhost only.
  Array.from(crypto.getRandomValues(new Uint8Array(idempotencyKeyBytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")
