import { checkDocumented } from "../../support/documentedAnswers.ts"
import { sendRequest } from "../../support/sendRequest.ts"
import { until } from "../../support/until.ts"
import { whileOverloaded } from "../../support/whileOverloaded.ts"

/** An answer, with its body as text and as parsed JSON. */
export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: T
}

/** The envelope of every error (`docs/contract/errors.md#envelope`). */
export interface ErrorBody {
  readonly error: {
    readonly type: string
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly request_id: string
    readonly details?: Readonly<Record<string, unknown>>
  }
}

/** A page of a list (`docs/contract/README.md#pagination`). */
export interface Page<T> {
  readonly data: ReadonlyArray<T>
  readonly next_cursor: string | null
}

/**
 * What was created one after the other, in the order of a list: two of the same millisecond by id
 * (`docs/contract/README.md#pagination`).
 */
export const newestFirst = <T extends { readonly id: string; readonly created_at: string }>(
  items: ReadonlyArray<T>,
): ReadonlyArray<T> =>
  items.toSorted((left, right) => {
    const [older, newer] = [left.created_at + left.id, right.created_at + right.id]
    return older < newer ? 1 : -1
  })

export interface RequestInput {
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/** Calls the service under one API key or none. */
export interface Client {
  readonly origin: string
  readonly key: string | undefined
  readonly request: <T>(method: string, path: string, input?: RequestInput) => Promise<Answer<T>>
  readonly get: <T>(path: string) => Promise<Answer<T>>
  readonly post: <T>(path: string, input?: RequestInput) => Promise<Answer<T>>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The headers that say what a body is. */
export const contentTypeOf = (body: unknown): Readonly<Record<string, string>> =>
  body === undefined ? {} : { "Content-Type": "application/json" }

/** Sends a request once, and holds the answer to the API's document. A body that is no string is sent as JSON. */
export const sendDocumented = async <T>(
  origin: string,
  method: string,
  path: string,
  { headers, body }: { readonly headers: Headers; readonly body?: unknown },
): Promise<Answer<T>> => {
  const answer = await sendRequest(origin + path, {
    method,
    headers,
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  })
  const contentType = answer.headers.get("content-type") ?? ""
  checkDocumented(method, path, { status: answer.status, contentType, text: answer.text })
  return { ...answer, body: parse(answer.text) as T }
}

/**
 * Every answer is held to the API's document. `isImpatient`: answers that the service is overloaded are answers, too. By default such requests are
 * made again.
 */
export const makeClient = (
  origin: string,
  key?: string,
  { isImpatient = false }: { readonly isImpatient?: boolean } = {},
): Client => {
  const own = key === undefined ? undefined : { Authorization: `Bearer ${key}` }
  const requestOnce = <T>(method: string, path: string, { headers, body }: RequestInput) =>
    sendDocumented<T>(origin, method, path, {
      headers: new Headers({ ...own, ...contentTypeOf(body), ...headers }),
      body,
    })
  const request = <T>(method: string, path: string, input: RequestInput = {}): Promise<Answer<T>> =>
    isImpatient
      ? requestOnce<T>(method, path, input)
      : whileOverloaded(() => requestOnce<T>(method, path, input))
  return {
    origin,
    key,
    request,
    get: (path) => request("GET", path),
    post: (path, input) => request("POST", path, input),
  }
}

/** Reads until there is a value, and returns it: for what the service does in the background. */
export const eventually = async <T>(
  what: string,
  read: () => Promise<T | undefined> | T | undefined,
  timeoutMillis?: number,
): Promise<T> => {
  let found: T | undefined
  const look = async () => {
    found = await read()
    return found !== undefined
  }
  await until(what, look, timeoutMillis)
  return found as T
}

/** All items of a list, read page by page; `query` has no leading `?`. */
export const readAll = async <T>(client: Client, path: string, query: string): Promise<ReadonlyArray<T>> => {
  const items: Array<T> = []
  let cursor: string | null = null
  do {
    const suffix: string = cursor === null ? "" : `&cursor=${cursor}`
    const page: Answer<Page<T>> = await client.get(`${path}?${query}${suffix}`)
    if (page.status !== 200) throw new Error(`${path}?${query}${suffix}: ${page.text}`)
    items.push(...page.body.data)
    cursor = page.body.next_cursor
  } while (cursor !== null)
  return items
}

/** Invalid cursors like this one: altered at every place, truncated, extended, or made up. */
export const alteredCursors = (cursor: string): ReadonlyArray<string> => {
  const altered = Array.from(cursor, (character, index) => {
    const other = character === "A" ? "B" : "A"
    return cursor.slice(0, index) + other + cursor.slice(index + 1)
  })
  return [
    ...altered,
    ...[1, 2, 5, cursor.length - 1].map((length) => cursor.slice(0, length)),
    ...["", "x", "null", "0", "%00", "evt_", `${cursor}A`, `${cursor}%3D`, `${cursor}%0A`, `%20${cursor}`],
    Buffer.from("1700000000000-0").toString("base64url"),
  ]
}
