import { errors, Pool } from "undici"
import { closingsHeard } from "./closingsHeard.ts"
import { pause } from "./until.ts"

/** An answer of the service. */
export interface ApiAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** Parses the text as JSON. */
  readonly json: () => unknown
}

export interface ApiRequest {
  /** A string is sent as it is, an object as JSON. */
  readonly body?: string | object
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the service's API under one key. */
export interface ApiClient {
  /** Fails where the connection cannot be made, breaks or gets no answer in time. Never sends twice. */
  readonly send: (method: "GET" | "POST", path: string, request?: ApiRequest) => Promise<ApiAnswer>
  /** Reads once more where the service closed a kept connection just as the request left (RFC 9112, section 9.3.1). */
  readonly get: (path: string) => Promise<ApiAnswer>
  /** Every item of a list, read page by page, in the list's order. A page that cannot be read now (503) is asked for again, for a minute. */
  readonly all: <Item>(path: string) => Promise<ReadonlyArray<Item>>
  readonly close: () => Promise<void>
}

/** Longer than the service takes to give up on a request. */
const answerTimeoutMillis = 60_000

const pageLimit = 100

/**
 * Whether a connection that had carried answers before was closed without one for this request: the service closes connections that
 * are idle for 10 s, and a test process that stalls notices late.
 */
const wasClosedWhileIdle = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof errors.SocketError &&
  error.cause.message === "other side closed" &&
  (error.cause.socket?.bytesRead ?? 0) > 0

const readAgainMillis = 1_000
const readAgainMax = 60

/** Reads again while the service says that it cannot answer now. */
const untilAvailable = async (read: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
  for (let repeats = 0; ; repeats++) {
    const answer = await read()
    if (answer.status !== 503 || repeats === readAgainMax) return answer
    await pause(readAgainMillis)
  }
}

/** A client with its own pool of at most `connections` connections, with one request each at a time. */
export const apiClient = (url: string, apiKey: string, connections = 32): ApiClient => {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    connect: { timeout: 30_000 },
    headersTimeout: answerTimeoutMillis,
    bodyTimeout: answerTimeoutMillis,
  })
  const send: ApiClient["send"] = async (method, path, { body, headers = {} } = {}) => {
    await closingsHeard()
    const answer = await pool
      .request({
        method,
        path,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
      })
      .catch((cause: Error) => {
        throw new Error(`${method} ${path} had no answer: ${cause.message}`, { cause })
      })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) }
  }
  const get = (path: string) =>
    send("GET", path).catch((error: unknown) => {
      if (!wasClosedWhileIdle(error)) throw error
      return send("GET", path)
    })
  return {
    send,
    get,
    all: async <Item>(path: string) => {
      const items: Array<Item> = []
      const base = `${path}${path.includes("?") ? "&" : "?"}limit=${pageLimit}`
      for (let cursor: string | null = ""; cursor !== null; ) {
        const answer = await untilAvailable(() => get(cursor === "" ? base : `${base}&cursor=${cursor}`))
        if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`)
        const page = answer.json() as { data: ReadonlyArray<Item>; next_cursor: string | null }
        items.push(...page.data)
        cursor = page.next_cursor
      }
      return items
    },
    close: () => pool.destroy(),
  }
}
