import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"

/** What a receiver does with a request. */
export type Behaviour =
  | {
      readonly kind: "respond"
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
      readonly delayMillis?: number
      /** The answer waits for this. */
      readonly after?: Promise<unknown>
      /** Answers that it sends before, unasked. */
      readonly interim?: ReadonlyArray<InterimStatus>
    }
  /** Writes these bytes (latin1) in place of an answer, each piece by itself, and then ends the connection. */
  | { readonly kind: "raw"; readonly pieces: ReadonlyArray<string> }
  /** Never answers. */
  | { readonly kind: "silent" }
  /** Sends an interim answer, 103, and never the final one. */
  | { readonly kind: "interim" }
  /** Sends the head and, if there is one, the start of a body, and then nothing more. */
  | { readonly kind: "stall"; readonly status?: number; readonly body?: string }
  /** Sends the head and a body that never ends, one piece at a time. */
  | {
      readonly kind: "trickle"
      readonly status?: number
      readonly piece?: string
      readonly intervalMillis?: number
    }
  /** Resets the connection (TCP RST) without an answer. */
  | { readonly kind: "reset" }
  /** Sends the head and the start of a body, and then cuts the connection. */
  | { readonly kind: "cut"; readonly status?: number; readonly body?: string }
  /** Answers 200 with a head of at least `bytes` bytes. */
  | { readonly kind: "headerFlood"; readonly bytes: number }

/** Behaviours that give a particular answer. */
export const behaviours = {
  respond: (status = 200, body: string | Uint8Array = ""): Behaviour => ({ kind: "respond", status, body }),
  redirectTo: (location: string, status = 302): Behaviour => ({
    kind: "respond",
    status,
    headers: { location },
  }),
  hugeBody: (bytes: number): Behaviour => ({ kind: "respond", body: Buffer.alloc(bytes, "x") }),
  gzipped: (text: string): Behaviour => ({
    kind: "respond",
    headers: { "content-encoding": "gzip" },
    body: gzipSync(text),
  }),
} as const

/** An interim answer that Node can send. */
export type InterimStatus = 100 | 102 | 103

/** Sends an interim answer, as often as it is called. */
export const sendInterim = (response: ServerResponse, status: InterimStatus): void => {
  if (status === 100) response.writeContinue()
  else if (status === 102) response.writeProcessing()
  else response.writeEarlyHints({ link: "</style.css>; rel=preload" })
}

const writePieces = async (socket: Socket, pieces: ReadonlyArray<string>): Promise<void> => {
  for (const piece of pieces) {
    await new Promise<void>((written) =>
      socket.write(Buffer.from(piece, "latin1"), () => setImmediate(written)),
    )
  }
  socket.end()
}

/** Carries a behaviour out. `reset` sends a TCP reset on the connection of `response`. */
export const act = (behaviour: Behaviour, response: ServerResponse, reset: () => void): void => {
  const head = (status: number | undefined) => response.writeHead(status ?? 200)
  switch (behaviour.kind) {
    case "respond": {
      for (const status of behaviour.interim ?? []) sendInterim(response, status)
      const answer = () =>
        response.writeHead(behaviour.status ?? 200, behaviour.headers).end(behaviour.body ?? "")
      if (behaviour.delayMillis !== undefined) closeTimer(response, setTimeout(answer, behaviour.delayMillis))
      else if (behaviour.after !== undefined) behaviour.after.then(answer, () => response.destroy())
      else answer()
      return
    }
    case "silent":
      return
    case "interim":
      sendInterim(response, 103)
      return
    case "raw":
      // The sender may be gone before the end.
      if (response.socket !== null) writePieces(response.socket, behaviour.pieces).catch(() => {})
      return
    case "stall":
      head(behaviour.status).flushHeaders()
      if (behaviour.body !== undefined) response.write(behaviour.body)
      return
    case "trickle":
      head(behaviour.status).flushHeaders()
      closeTimer(
        response,
        setInterval(() => response.write(behaviour.piece ?? "."), behaviour.intervalMillis ?? 5),
      )
      return
    case "reset":
      reset()
      return
    case "cut":
      head(behaviour.status).flushHeaders()
      response.write(behaviour.body ?? "", () => response.socket?.destroy())
      return
    case "headerFlood":
      response.writeHead(200, { "x-flood": "x".repeat(behaviour.bytes) }).end()
  }
}

const closeTimer = (response: ServerResponse, timer: NodeJS.Timeout): void => {
  response.once("close", () => clearTimeout(timer))
}
