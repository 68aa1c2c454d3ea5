import net from "node:net"
import type { MalformedRequest } from "./malformedRequests.ts"

/** How a server reacted to a malformed request. */
export type Meeting =
  /** Every answer was ours: a success, or an error in the envelope. */
  | { readonly kind: "answered"; readonly statuses: ReadonlyArray<number> }
  /** uWebSockets.js itself refused it, before our code, and closed the connection. */
  | { readonly kind: "refused"; readonly status: number }
  /** No answer: the server waits for the rest, or has closed the connection. */
  | { readonly kind: "silent"; readonly closed: boolean }
  /** An answer that breaks the contract. */
  | { readonly kind: "wrong"; readonly reason: string; readonly received: string }

const parserAnswer =
  /^HTTP\/1\.1 (400 Bad Request|431 Request Header Fields Too Large|505 HTTP Version Not Supported)\r\nConnection: close\r\n\r\n<h1>/

const streamAnswer = /^HTTP\/1\.1 200 OK\r\n(?:\S+: .*\r\n)*Content-Type: text\/event-stream\r\n/

const isEnvelope = (head: string, body: string): boolean => {
  const requestId = /\r\nX-Request-Id: (\S+)/.exec(head)?.[1]
  try {
    const { error } = JSON.parse(body)
    return (
      /\r\nContent-Type: application\/json\r\n/.test(head) &&
      requestId !== undefined &&
      error.request_id === requestId &&
      [error.type, error.code, error.message].every((text) => typeof text === "string" && text !== "")
    )
  } catch {
    return false
  }
}

/** Judges all bytes that came over one connection. */
const judge = (received: Buffer, closed: boolean): Meeting => {
  const wrong = (reason: string): Meeting => ({
    kind: "wrong",
    reason,
    received: received.toString("latin1").slice(0, 2_000),
  })
  const statuses: Array<number> = []
  let rest = received
  while (rest.length > 0) {
    const text = rest.toString("latin1")
    const refused = parserAnswer.exec(text)
    if (refused !== null)
      return statuses.length > 0
        ? { kind: "answered", statuses }
        : { kind: "refused", status: Number(refused[1]?.slice(0, 3)) }
    // A stream's head comes with its first frame, and its body has no end.
    if (streamAnswer.test(text)) return { kind: "answered", statuses: [...statuses, 200] }
    const end = text.indexOf("\r\n\r\n")
    if (end < 0) return wrong("an unfinished head")
    const head = text.slice(0, end + 2)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (!(status >= 200 && status < 500)) return wrong(`status ${status}`)
    statuses.push(status)
    const length = status === 204 ? 0 : Number(/\r\nContent-Length: (\d+)\r\n/.exec(head)?.[1])
    if (Number.isNaN(length)) return wrong("no length")
    // Answers to HEAD have a length and no body.
    const next = text.slice(end + 4, end + 13)
    if (next === "" || next === "HTTP/1.1 ") {
      rest = rest.subarray(end + 4)
      continue
    }
    const body = rest.subarray(end + 4, end + 4 + length)
    if (body.length < length) return closed ? wrong("a body cut off by the end") : wrong("an unfinished body")
    if (status >= 400 && !isEnvelope(head, body.toString("utf8"))) return wrong("no envelope")
    rest = rest.subarray(end + 4 + length)
  }
  return statuses.length > 0 ? { kind: "answered", statuses } : { kind: "silent", closed }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** How many round trips on another connection without a new byte end the wait. */
const roundsForAnswer = 12
const roundsAfterAnswer = 3

/**
 * Sends a malformed request to 127.0.0.1:`port` and judges what comes back. It waits by asking /health on another
 * connection, and throws where that fails, so a crashed server shows.
 */
export const meet = async (port: number, request: MalformedRequest): Promise<Meeting> => {
  const socket = net.connect(port, "127.0.0.1")
  socket.setNoDelay(true)
  let received = Buffer.alloc(0)
  let closed = false
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    closed = true
  })
  await new Promise<void>((resolve) => socket.once("connect", resolve).once("close", resolve))
  for (const piece of request.pieces) {
    socket.write(piece)
    await turn()
  }
  if (request.hangsUp) socket.destroy()
  let seen = -1
  for (
    let quiet = 0;
    quiet < (received.length > 0 ? roundsAfterAnswer : roundsForAnswer) && !closed;
    quiet++
  ) {
    if (received.length !== seen) quiet = 0
    seen = received.length
    await askHealth(port)
  }
  socket.destroy()
  return request.hangsUp ? { kind: "silent", closed: true } : judge(received, closed)
}

const askHealth = async (port: number): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${port}/health`)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`/health answered ${response.status}`)
}
