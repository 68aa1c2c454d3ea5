import { CookieJar } from "tough-cookie"
import { whileOverloaded } from "../../support/whileOverloaded.ts"
import { type Answer, contentTypeOf, type ErrorBody, sendDocumented } from "./client.ts"

/** A request from a dashboard's page. */
export interface BrowserInput {
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/** A client that keeps cookies and sends them back, as browsers do. */
export interface Browser {
  readonly origin: string
  /** Like the global `fetch`, with the jar's cookies. */
  readonly fetch: typeof fetch
  /** Sends a request, and returns the answer whatever its status. */
  readonly send: <T = ErrorBody>(method: string, path: string, input?: BrowserInput) => Promise<Answer<T>>
  /** The body of an answer that must be a success; otherwise fails with the answer's text. */
  readonly must: <T>(method: string, path: string, input?: BrowserInput) => Promise<T>
  /** The value of a cookie in the jar. */
  readonly cookie: (name: string) => string | undefined
  readonly setCookie: (name: string, value: string) => void
  readonly forgetCookie: (name: string) => void
  /** What it would send as `Cookie`. */
  readonly cookieHeader: () => string
}

/**
 * A browser with an empty jar. `headers` go with every request: an `X-Forwarded-For`, so that limits per address count
 * it separately (the service must trust this machine as a proxy), or an `X-Mode`. Every answer is held to the API's document.
 */
export const makeBrowser = (origin: string, headers: Readonly<Record<string, string>> = {}): Browser => {
  const jar = new CookieJar()

  const addOwn = (sent: Headers, url: string): void => {
    const cookies = jar.getCookieStringSync(url)
    if (cookies !== "") sent.set("Cookie", cookies)
    for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value)
  }
  const keepCookies = (received: Headers, url: string): void => {
    for (const line of received.getSetCookie()) jar.setCookieSync(line, url)
  }

  const withCookies: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    addOwn(request.headers, request.url)
    const response = await fetch(request)
    keepCookies(response.headers, request.url)
    return response
  }

  const sendOnce = async <T>(method: string, path: string, input: BrowserInput): Promise<Answer<T>> => {
    const url = origin + path
    const sent = new Headers({ ...contentTypeOf(input.body), ...input.headers })
    addOwn(sent, url)
    const answer = await sendDocumented<T>(origin, method, path, { headers: sent, body: input.body })
    keepCookies(answer.headers, url)
    return answer
  }
  const send = <T>(method: string, path: string, input: BrowserInput = {}): Promise<Answer<T>> =>
    whileOverloaded(() => sendOnce<T>(method, path, input))
  const cookies = () => jar.getCookiesSync(origin)

  return {
    origin,
    fetch: withCookies,
    send,
    must: async <T>(method: string, path: string, input?: BrowserInput) => {
      const answer = await send<T>(method, path, input)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    },
    cookie: (name) => cookies().find(({ key }) => key === name)?.value,
    setCookie: (name, value) => {
      jar.setCookieSync(`${name}=${value}; Path=/`, origin)
    },
    forgetCookie: (name) => {
      jar.setCookieSync(`${name}=; Path=/; Max-Age=0`, origin)
    },
    cookieHeader: () => jar.getCookieStringSync(origin),
  }
}
