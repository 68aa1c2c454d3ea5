/** A process of browsers that all open event streams at once, and reconnect when the server asks them to. */
import { connect, type Socket } from "node:net"
import { Histogram } from "../support/histogram.ts"
import type { OpeningJob, OpeningResult } from "./openingJob.ts"
import { serveParent } from "./serveParent.ts"

/** EventSource's own delay if the server names none. */
const retryMillis = 3_000
/** How much of a response is read: the head and the opening frames. */
const textMax = 4_096

class Openings {
  opened = 0
  turnedAway = 0
  readonly readyMillis = new Histogram()
  readonly turnedAwayMillis = new Histogram()
  readonly problems: Record<string, number> = {}
  readonly sockets = new Set<Socket>()
  isOver = false
  readonly #port: number
  readonly #onOpened: () => void

  constructor(port: number, onOpened: () => void) {
    this.#port = port
    this.#onOpened = onOpened
  }

  open(apiKey: string): void {
    if (this.isOver) return
    const startedMillis = performance.now()
    const socket = connect({ port: this.#port, host: "127.0.0.1" })
    this.sockets.add(socket)
    let text = ""
    let isReady = false
    const again = (what: string | undefined, millis: number) => {
      if (!this.sockets.delete(socket) || this.isOver) return
      if (isReady) this.opened -= 1
      if (what !== undefined) this.problems[what] = (this.problems[what] ?? 0) + 1
      socket.destroy()
      setTimeout(() => this.open(apiKey), millis)
    }
    socket.write(
      `GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nAccept: text/event-stream\r\n\r\n`,
    )
    socket.on("data", (bytes) => {
      if (isReady || text.length > textMax) return
      text += bytes.toString("latin1")
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
      if (status !== undefined && status !== "200") again(`status ${status}`, retryMillis)
      else if (text.includes("event: ready")) {
        isReady = true
        this.opened += 1
        this.readyMillis.record(performance.now() - startedMillis)
        this.#onOpened()
      } else if (text.includes("event: reconnect")) {
        this.turnedAway += 1
        this.turnedAwayMillis.record(performance.now() - startedMillis)
        again(undefined, Number(/retry: (\d+)/.exec(text)?.[1] ?? retryMillis))
      }
    })
    socket.on("error", (error: NodeJS.ErrnoException) => again(error.code ?? error.message, retryMillis))
    socket.on("close", () => again(isReady ? "cut" : "closed without an answer", retryMillis))
  }

  close(): void {
    this.isOver = true
    for (const socket of this.sockets) socket.resetAndDestroy()
  }
}

const runJob = async ({
  port,
  apiKeys,
  streamsPerKey,
  timeoutMillis,
}: OpeningJob): Promise<OpeningResult> => {
  const wanted = apiKeys.flatMap((apiKey) => Array.from({ length: streamsPerKey }, () => apiKey))
  const startedMillis = performance.now()
  let all = () => {}
  const openings = new Openings(port, () => {
    if (openings.opened === wanted.length) all()
  })
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMillis)
    all = () => {
      clearTimeout(timer)
      resolve()
    }
    for (const apiKey of wanted) openings.open(apiKey)
  })
  const { opened, turnedAway, problems } = openings
  openings.close()
  return {
    ...{ opened, turnedAway, problems },
    millis: performance.now() - startedMillis,
    readyMillis: openings.readyMillis.counts(),
    turnedAwayMillis: openings.turnedAwayMillis.counts(),
  }
}

serveParent(runJob)
