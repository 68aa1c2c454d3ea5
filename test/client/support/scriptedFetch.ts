/** What a scripted fetch does with one request. */
export type Scripted =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The network fails. */
  | Error
  /** No answer ever comes, whatever the signal says. */
  | "never"

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Headers
  readonly body: string | undefined
}

const answerOf = (scripted: Exclude<Scripted, Error | "never">): Response => {
  const { status, body = {}, headers = {} } = scripted
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers })
}

/** A fetch that answers by a script, in its order; the last answer stays. */
export const scriptedFetch = (...script: ReadonlyArray<Scripted>) => {
  const requests: Array<SentRequest> = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    requests.push({
      method: init.method ?? "GET",
      path: pathname + search,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? init.body : undefined,
    })
    const scripted = script[Math.min(requests.length, script.length) - 1]
    if (scripted instanceof Error) throw scripted
    if (scripted === undefined || scripted === "never") return new Promise(() => {})
    return answerOf(scripted)
  }
  return { fetch, requests }
}

/** An error as the service answers it. */
export const errorAnswer = (
  status: number,
  code: string,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly fields?: object } = {},
): Scripted => ({
  status,
  headers: more.headers ?? {},
  body: {
    error: { type: "internal_error", code, message: `It is ${code}.`, request_id: "req_1", ...more.fields },
  },
})
