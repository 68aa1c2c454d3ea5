import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type InterimStatus, sendInterim } from "../../support/receiverBehaviours.ts"

/** A request that the receiver has answered. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver on localhost, by http, as a developer has it. */
export interface LocalReceiver {
  readonly url: string
  /** All requests so far, over restarts. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** What it answers from now on; 204 at first. */
  readonly answerWith: (status: number, headers?: Readonly<Record<string, string>>, body?: string) => void
  /** Sends these before each answer, unasked. */
  readonly interimBefore: (statuses: ReadonlyArray<InterimStatus>) => void
  /** Answers only once the promise resolves. */
  readonly holdUntil: (released: Promise<void>) => void
  /** Is away until {@link start}. */
  readonly stop: () => Promise<void>
  /** Is back, on the same port. */
  readonly start: () => Promise<void>
}

/** Starts a receiver on a free port. `stop` it in the end. */
export const startLocalReceiver = async (): Promise<LocalReceiver> => {
  const requests: Array<ReceivedRequest> = []
  let answer: { status: number; headers: Readonly<Record<string, string>>; body: string } = {
    status: 204,
    headers: {},
    body: "",
  }
  let held: Promise<void> = Promise.resolve()
  let interim: ReadonlyArray<InterimStatus> = []
  let server: Server | undefined
  let port = 0
  const start = async () => {
    const opened = createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk)
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") })
      for (const status of interim) sendInterim(response, status)
      await held
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
    server = opened
    await new Promise<void>((listening) => opened.listen(port, "127.0.0.1", listening))
    port = (opened.address() as AddressInfo).port
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    answerWith: (status, headers = {}, body = "") => {
      answer = { status, headers, body }
    },
    interimBefore: (statuses) => {
      interim = statuses
    },
    holdUntil: (released) => {
      held = released
    },
    stop: async () => {
      const closing = server
      server = undefined
      closing?.closeAllConnections()
      await new Promise<void>((closed) => (closing === undefined ? closed() : closing.close(() => closed())))
    },
    start,
  }
}
