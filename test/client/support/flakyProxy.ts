import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the proxy does to a request other than passing it on. */
export type Fault =
  /** Closes the connection; the service hears nothing. */
  | "drop"
  /** The service answers, and the connection is closed instead. */
  | "lose"
  /** Half of the answer's body arrives. */
  | "halve"
  /** The service answers, and nothing arrives, ever. */
  | "hold"
  /** The answer comes late. */
  | "delay"
  /** Answers of the proxy's own; the last one although the service has done it. */
  | "429"
  | "503"
  | "409"
  | "503 after"

/** A bad network, and a bad proxy, before the service. */
export interface FlakyProxy {
  readonly url: string
  /** How often each fault has happened, and how many event streams were opened and then `ready`. */
  readonly counts: Readonly<Record<string, number>>
  /** From now on everything is passed on whole. What was lost stays lost. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

const delayMillis = 50
const faults: ReadonlyArray<Fault> = [
  "drop",
  "lose",
  "halve",
  "hold",
  "delay",
  "429",
  "503",
  "409",
  "503 after",
]

const ownAnswers: Readonly<Record<string, readonly [number, string]>> = {
  "429": [429, "rate_limited"],
  "503": [503, "service_unavailable"],
  "503 after": [503, "service_unavailable"],
  "409": [409, "idempotency_in_progress"],
}

const answerItself = (response: ServerResponse, [status, code]: readonly [number, string]): void => {
  const error = { type: "internal_error", code, message: "From the proxy.", request_id: "req_proxy" }
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" })
  response.end(JSON.stringify({ error }))
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** The service's answer to this request. */
const forward = (targetPort: number, request: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
  new Promise((done, failed) => {
    const { method, url: path, headers } = request
    const upstream = requestOf({ port: targetPort, host: "127.0.0.1", method, path, headers }, done)
    upstream.once("error", failed)
    upstream.end(body)
  })

/**
 * Starts a proxy on 127.0.0.1. `faultShare` of the requests have a fault, and every event stream is cut after some bytes or falls
 * silent there; `random` decides which, and where. Clients are told to reconnect to streams at once.
 */
export const startFlakyProxy = async (
  targetPort: number,
  random: () => number,
  faultShare: number,
): Promise<FlakyProxy> => {
  const counts: Record<string, number> = {}
  let share = faultShare
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const pick = (hasKey: boolean): Fault | undefined => {
    const fault = random() < share ? faults[Math.floor(random() * faults.length)] : undefined
    // The service says 409 of an Idempotency-Key alone.
    return fault === "409" && !hasKey ? "503" : fault
  }

  /** The first stream breaks in the middle of its first event; later ones anywhere. */
  const passStream = (answer: IncomingMessage, response: ServerResponse) => {
    count("stream")
    const isSilentAtEnd = counts.stream !== 1 && random() < 0.2
    let bytesLeft = counts.stream === 1 ? 140 : 1_500 + random() * 6_000
    answer.on("data", (part: Buffer) => {
      if (part.includes("event: ready")) count("ready")
      if (bytesLeft <= 0) return
      if (share === 0) bytesLeft = Number.POSITIVE_INFINITY
      const bytes = Buffer.from(part.toString("latin1").replace("retry: 3000", "retry: 0010"), "latin1")
      const passed = bytes.subarray(0, bytesLeft)
      bytesLeft -= bytes.length
      const isCut = bytesLeft <= 0 && !isSilentAtEnd
      response.write(passed, () => isCut && response.destroy())
    })
    response.once("close", () => answer.destroy())
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fault = pick(request.headers["idempotency-key"] !== undefined)
    if (fault !== undefined) count(fault)
    const body = await bodyOf(request)
    if (fault === "drop") return void response.destroy()
    const own = fault === undefined ? undefined : ownAnswers[fault]
    if (own !== undefined && fault !== "503 after") return answerItself(response, own)

    const answer = await forward(targetPort, request, body)
    const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") ?? false
    if (isStream) {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      return passStream(answer, response)
    }
    const answered = await bodyOf(answer)
    if (own !== undefined) return answerItself(response, own)
    if (fault === "lose") return void response.destroy()
    if (fault === "hold") return
    if (fault === "delay") await new Promise((wake) => setTimeout(wake, delayMillis))
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    if (fault !== "halve") return void response.end(answered)
    response.write(answered.subarray(0, answered.length / 2), () => response.destroy())
  }

  const server = createServer((request, response) => {
    response.on("error", () => {})
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    heal: () => {
      share = 0
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
