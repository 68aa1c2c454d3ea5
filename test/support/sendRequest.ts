import { Agent, request } from "undici"
import { closingsHeard } from "./closingsHeard.ts"

/** What came back, read to its end. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface PlainRequest {
  readonly method: string
  readonly headers: Headers
  readonly body?: string | undefined
}

/** Keeps connections, without a limit of their number. */
const agent = new Agent()

/** Sent as the global `fetch` does by itself; sessions show the agent. */
const defaults = { accept: "*/*", "user-agent": "node" }

/** Sends a request and follows no redirect. The global `fetch` takes six times the CPU, and tests send tens of thousands. */
export const sendRequest = async (
  url: string,
  { method, headers, body }: PlainRequest,
): Promise<PlainAnswer> => {
  const sent = new Headers(defaults)
  for (const [name, value] of headers) sent.set(name, value)
  await closingsHeard()
  const answer = await request(url, { dispatcher: agent, method, headers: sent, body: body ?? null })
  const received = new Headers()
  for (const [name, value = ""] of Object.entries(answer.headers)) {
    for (const one of [value].flat()) received.append(name, one)
  }
  return { status: answer.statusCode, headers: received, text: await answer.body.text() }
}
