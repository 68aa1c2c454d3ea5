import net from "node:net"
import { performance } from "node:perf_hooks"

/** A request of the cheapest kind, on a connection that stays. */
const request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

/** Connections that ask every so often and never leave by themselves; one that was closed comes back with its next turn. */
export interface Holders {
  /** Answers with status 200 so far. */
  readonly answered: () => number
  readonly stop: () => void
}

/** Holds `count` connections to 127.0.0.1, each of which asks at once and then every `everyMillis`. */
export const holdConnections = (port: number, count: number, everyMillis: number): Holders => {
  const sockets = new Set<net.Socket>()
  let answered = 0
  const hold = (): (() => void) => {
    let socket: net.Socket | undefined
    return () => {
      if (socket === undefined) {
        const opened = net.connect(port, "127.0.0.1")
        socket = opened
        sockets.add(opened)
        opened.on("error", () => {})
        opened.on("data", (data) => {
          if (data.includes("HTTP/1.1 200")) answered += 1
        })
        opened.on("close", () => {
          sockets.delete(opened)
          socket = undefined
        })
      }
      socket.write(request)
    }
  }
  const timers: Array<NodeJS.Timeout> = []
  for (const ask of Array.from({ length: count }, hold)) {
    ask()
    timers.push(setInterval(ask, everyMillis))
  }
  return {
    answered: () => answered,
    stop: () => {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A newcomer's outcome: a status, or 0 where its connection was closed or stayed silent for `patienceMillis`. */
export interface Newcomer {
  readonly status: number
  readonly tookMillis: number
}

/** Connects, asks once, and leaves. */
export const comeAnew = (port: number, patienceMillis: number): Promise<Newcomer> =>
  new Promise((resolve) => {
    const began = performance.now()
    let received = ""
    const socket = net.connect(port, "127.0.0.1", () => socket.write(request))
    const timer = setTimeout(() => socket.destroy(), patienceMillis)
    socket.on("error", () => {})
    socket.on("data", (data) => {
      received += data.toString("latin1")
      if (received.includes("\r\n\r\n")) socket.destroy()
    })
    socket.on("close", () => {
      clearTimeout(timer)
      resolve({
        status: Number(received.split(" ")[1] ?? 0),
        tookMillis: performance.now() - began,
      })
    })
  })
