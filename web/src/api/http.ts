import { CorrenteError, errorOfAnswer } from "../../../client/src/errors.ts"
import { pause, retryWaitMillis, withDeadline } from "../../../client/src/waiting.ts"
import { prefix } from "../prefix.ts"
import { tellRetry } from "./retrying.ts"
import type { Answer, Given, Route } from "./routes.ts"
import { loseSession, mode, user } from "./session.ts"
import { askStepUp } from "./stepUp.ts"

const timeoutMillis = 30_000
const retriesMax = 3

/** How a request is sent. */
export interface RequestOptions {
  /** For requests that create something; kept over repetitions. */
  readonly idempotencyKey?: string
  /** Whether a repetition does no harm, though nothing names it. Default: only for GET. */
  readonly isRepeatable?: boolean
  /** Ends the request with code `aborted`. */
  readonly signal?: AbortSignal
  /** False where a 403 `mfa_required` is the caller's to handle. Default: true. */
  readonly asksStepUp?: boolean
}

/** A request as it is sent, whatever its route. */
export interface Request extends RequestOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** Media type of the answer. Default: JSON. */
  readonly accept?: string
}

/** A route's address: its `:names` filled in, and its query. */
const addressOf = (path: string, { params = {}, query = {} }: Request): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value))
  }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  return parameters.size === 0 ? filled : `${filled}?${parameters}`
}

const attempt = (route: Route, request: Request): Promise<Response> => {
  const [method = "", path = ""] = route.split(" ")
  const { idempotencyKey, signal, accept = "application/json" } = request
  const body = request.body ?? (method === "POST" ? {} : undefined)
  const headers = new Headers({ accept, "x-mode": mode.value })
  if (body !== undefined) headers.set("content-type", "application/json")
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
  return withDeadline(timeoutMillis, signal, async (inner) => {
    const response = await fetch(prefix + addressOf(path, request), {
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
const send = async (route: Route, request: Request): Promise<Response> => {
  const isReading = route.startsWith("GET ")
  const isRepeatable = request.isRepeatable ?? (isReading || request.idempotencyKey !== undefined)
  for (let failures = 0; ; failures++) {
    try {
      return await attempt(route, request)
    } catch (error) {
      if (!(error instanceof CorrenteError) || failures >= retriesMax) throw error
      // Whoever tried something too often is told so at once; what only reads comes again when the service says.
      const isTooOften = error.status === 429 && !isReading
      const waitMillis = isTooOften ? undefined : retryWaitMillis(error, failures, isRepeatable)
      if (waitMillis === undefined) throw error
      await tellRetry(error, pause(waitMillis, request.signal))
    }
  }
}

/** Reads who is signed in: what the user may do may have changed since the page began. */
const readUserAgain = async (): Promise<void> => {
  try {
    const route = "GET /v1/me/auth/get-session"
    const session = JSON.parse(await (await attempt(route, {})).text()) as Answer<typeof route>
    if (session !== null && session.user.id === user.peek()?.id) user.value = session.user
  } catch {
    // What was refused says enough.
  }
}

/**
 * Sends a request of the session, in the mode of the page. A 403 `mfa_required` opens the step-up dialog; once it is
 * confirmed the request goes on by itself. A session that has ended leads to the sign-in page. Fails with CorrenteError.
 */
const answerOf = async (route: Route, request: Request): Promise<Response> => {
  try {
    return await send(route, request)
  } catch (error) {
    if (!(error instanceof CorrenteError)) throw error
    if (error.code === "session_required") loseSession()
    if (error.code === "permission_denied") await readUserAgain()
    const isStepUp = error.code === "mfa_required" && (request.asksStepUp ?? true)
    if (isStepUp && (await askStepUp())) return send(route, request)
    throw error
  }
}

type Arguments<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options]

/** {@link call} for what is written for any route: it gives requests and answers their types itself. */
export const callAny = async <A>(route: Route, request: Request): Promise<A> => {
  const text = await (await answerOf(route, request)).text()
  return (text === "" ? undefined : JSON.parse(text)) as A
}

/** Calls a route of the contract under the session of the page: what it takes and answers is checked by the contract's types. */
export const call = <R extends Route>(
  route: R,
  ...[options]: Arguments<Given<R> & RequestOptions>
): Promise<Answer<R>> => callAny(route, options ?? {})

/** A file of the service, with the name that it gives it. */
export interface Downloaded {
  readonly bytes: Blob
  readonly name: string
}

const nameOf = (response: Response): string =>
  /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "corrente"

/** Reads a file, as a type where the route has several. One that was cut fails with code `incomplete_download`. */
export const download = async <R extends Route>(
  route: R,
  options: Given<R> & { readonly accept?: string },
): Promise<Downloaded> => {
  const response = await answerOf(route, options)
  try {
    return { bytes: await response.blob(), name: nameOf(response) }
  } catch (cause) {
    throw new CorrenteError({ code: "incomplete_download", message: "The download was cut.", cause })
  }
}

const idempotencyKeyBytes = 16

/** A key for a request that creates something: the same over repetitions, another for the next form. */
export const newIdempotencyKey = (): string =>
  // `crypto.randomUUID` is there on https and localhost only.
  Array.from(crypto.getRandomValues(new Uint8Array(idempotencyKeyBytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")
