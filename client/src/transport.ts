import { CorrenteError, errorOfAnswer, invalidCall } from "./errors.ts"
import { pause, retryWaitMillis, withDeadline } from "./waiting.ts"

/** How a client reaches the service. */
export interface CorrenteOptions {
  /** `sk_live_…` or `sk_test_…`: it determines the seller and the mode. */
  readonly apiKey: string
  /** Where the service is, such as `https://pay.example`. */
  readonly baseUrl: string
  /** What sends requests; the global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch
  /** How often a call is made again after a temporary failure: 5 by default. */
  readonly maxRetries?: number
  /** How long each try may take: 30,000 by default. */
  readonly timeoutMillis?: number
}

/** Options of any call. */
export interface CallOptions {
  /** Ends the call, and the waiting between its tries, with code `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** Options of calls that create something. */
export interface CreateOptions extends CallOptions {
  /** Names the operation: the same key and body create once. Made by the client if absent, and kept over its retries. */
  readonly idempotencyKey?: string | undefined
}

/** Parameters of a list; undefined ones are left out, several values are joined by commas. */
export type Query = Readonly<Record<string, string | number | ReadonlyArray<string> | undefined>>

/** One call of the API. */
export interface Call {
  readonly method: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly query?: object | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Default: true. False where a repetition would have an effect of its own. */
  readonly isRepeatable?: boolean
  readonly options?: CallOptions | undefined
}

/** Sends calls to one service under one key. */
export interface Transport {
  readonly maxRetries: number
  /** How long an answer may take, and each piece of one that is read as it arrives. */
  readonly timeoutMillis: number
  /** The bytes of a successful answer; tries again after temporary failures. */
  readonly read: (call: Call) => Promise<Uint8Array<ArrayBuffer>>
  /** The head of a successful answer, whose body is read as it arrives; tries again until it begins. */
  readonly begin: (call: Call) => Promise<Response>
  /** The JSON of a successful answer; tries again after temporary failures. */
  readonly send: <T>(call: Call) => Promise<T>
  /** The head of a successful answer, once; its body is the caller's to read and to end. */
  readonly open: (call: Call) => Promise<Response>
}

const defaultRetries = 5
const defaultTimeoutMillis = 30_000

const isHeaderText = (text: unknown): text is string =>
  typeof text === "string" && /^[\x21-\x7e]+$/.test(text)

/** A header's value, which must be visible ASCII. */
export const headerText = (param: string, text: string): string => {
  if (!isHeaderText(text)) throw invalidCall(param, `${param} must be visible ASCII characters.`)
  return text
}

const numberOption = (param: string, value: number, minimum: number): number => {
  if (typeof value === "number" && value >= minimum) return value
  throw invalidCall(param, `${param} must be a number of ${minimum} or more.`)
}

const baseOf = (baseUrl: string): string => {
  const isWeb = typeof baseUrl === "string" && /^https?:\/\/[^/]/i.test(baseUrl) && URL.canParse(baseUrl)
  if (!isWeb) throw invalidCall("baseUrl", "baseUrl must be an http or https URL.")
  return baseUrl.replace(/\/+$/, "")
}

const urlOf = (base: string, path: string, query: Query = {}): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, typeof value === "object" ? value.join(",") : String(value))
  }
  const text = parameters.toString()
  return text === "" ? base + path : `${base}${path}?${text}`
}

const textOfBody = (body: unknown): string | undefined => {
  try {
    return body === undefined ? undefined : JSON.stringify(body)
  } catch (cause) {
    throw invalidCall("body", "The body cannot be written as JSON.", cause)
  }
}

const jsonOf = (status: number, headers: Headers, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CorrenteError({
      code: "unexpected_answer",
      message: `The answer was ${status} without JSON.`,
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      cause,
    })
  }
}

/** Makes the transport of a client; wrong options are `invalid_call`. */
export const makeTransport = (options: CorrenteOptions): Transport => {
  const base = baseOf(options.baseUrl)
  const authorization = `Bearer ${headerText("apiKey", options.apiKey)}`
  const maxRetries = numberOption("maxRetries", options.maxRetries ?? defaultRetries, 0)
  const timeoutMillis = numberOption("timeoutMillis", options.timeoutMillis ?? defaultTimeoutMillis, 1)
  // Browsers refuse a fetch that is called as a method of something else.
  const send: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))

  /** The same bytes and headers for every try. */
  const requestOf = ({ method, path, query, body, headers }: Call) => {
    const text = textOfBody(body)
    const isWithBody = text !== undefined
    const init = {
      method,
      redirect: "manual",
      headers: {
        authorization,
        accept: "application/json",
        ...(isWithBody ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(isWithBody ? { body: text } : {}),
    } satisfies RequestInit
    return { url: urlOf(base, path, query as Query | undefined), init }
  }

  const succeeded = async (response: Response): Promise<Response> => {
    if (response.ok) return response
    throw errorOfAnswer(response.status, response.headers, await response.text())
  }

  /** What `take` makes of a successful answer; tries again after temporary failures. */
  const tried = async <T>(call: Call, take: (response: Response) => Promise<T>): Promise<T> => {
    const { url, init } = requestOf(call)
    const callerSignal = call.options?.signal
    const attempt = () =>
      withDeadline(timeoutMillis, callerSignal, async (signal) =>
        take(await succeeded(await send(url, { ...init, signal }))),
      )
    for (let failures = 0; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof CorrenteError) || failures >= maxRetries) throw error
        const waitMillis = retryWaitMillis(error, failures, call.isRepeatable ?? true)
        if (waitMillis === undefined) throw error
        await pause(waitMillis, callerSignal)
      }
    }
  }

  return {
    maxRetries,
    timeoutMillis,
    open: async (call) => {
      const { url, init } = requestOf(call)
      return withDeadline(timeoutMillis, call.options?.signal, async (signal) =>
        succeeded(await send(url, { ...init, signal })),
      )
    },
    begin: (call) => tried(call, async (response) => response),
    read: (call) => tried(call, async (response) => new Uint8Array(await response.arrayBuffer())),
    send: <T>(call: Call): Promise<T> =>
      tried(call, async (response) => jsonOf(response.status, response.headers, await response.text()) as T),
  }
}
