import net from "node:net"
import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { makeFeeds, streamRequest } from "../sse/feeds.ts"
import { collectArguments, settledMiB, streamsPerFeed } from "../sse/idle.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

const sizes = {
  small: { streams: 4_000, rounds: 1 },
  default: { streams: 8_000, rounds: 3 },
  full: { streams: 16_000, rounds: 5 },
} as const satisfies Record<Size, object>

/** The service's limits (docs/contract/payment-page.md#stream). */
const streamsPerCharge = 20
const streamsPerAddress = 100
/** Never paid (docs/contract/transactions.md#test-amounts). */
const amount = 12_901

const kinds = ["payment pages", "feeds"] as const
type Kind = (typeof kinds)[number]

/**
 * Streams opened and closed before the first reading, as a share: code and pools exist by then. With all of them the allocator would
 * keep what they leave, and give it to the measured ones for nothing.
 */
const warmUpShare = 0.1

/** Opens a stream, from the address that the limits leave for its number; completes with its first bytes after the head. */
const openStream = (port: number, request: string, index: number): Promise<net.Socket> =>
  new Promise((opened, failed) => {
    const host = Math.floor(index / streamsPerAddress)
    const localAddress = `127.0.${1 + (host >> 8)}.${host & 255}`
    const socket = net.connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(request))
    let text = ""
    socket.on("error", failed)
    socket.on("data", (chunk) => {
      text += chunk
      if (!/event: (ready|status)/.test(text)) return
      socket.removeAllListeners("data")
      socket.resume()
      opened(socket)
    })
    socket.on("close", () => failed(new Error(`stream ${index} was turned away: ${text.slice(0, 300)}`)))
  })

const createCharge = async ({ apiKey }: SideBackend, port: number): Promise<string> => {
  const body = {
    amount,
    payment_method: "pix",
    customer: { name: "Maria Souza", email: "maria@example.com", document: "52998224725" },
    items: [{ name: "Camiseta", quantity: 1, unit_amount: amount }],
  }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/transactions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const { payment_url } = (await answer.json()) as { readonly payment_url: string }
  return new URL(payment_url).pathname.replace(/^.*(?=\/pay\/)/, "")
}

/** The requests of as many streams as are wanted. */
const requestsOf = async (
  kind: Kind,
  backend: SideBackend,
  port: number,
  streams: number,
): Promise<ReadonlyArray<string>> => {
  if (kind === "feeds") {
    const feeds = await makeFeeds(backend.redis.client, Math.ceil(streams / streamsPerFeed))
    return feeds
      .flatMap((feed) => Array.from({ length: streamsPerFeed }, () => streamRequest("corrente", feed)))
      .slice(0, streams)
  }
  const requests: Array<string> = []
  while (requests.length < streams) {
    const path = await createCharge(backend, port)
    const request = `GET ${path}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
    for (let count = 0; count < streamsPerCharge; count++) requests.push(request)
  }
  return requests.slice(0, streams)
}

/** Streams that are opened at a time. */
const openedAtOnce = 50

const openAll = async (port: number, requests: ReadonlyArray<string>): Promise<ReadonlyArray<net.Socket>> => {
  const sockets: Array<net.Socket> = []
  for (let from = 0; from < requests.length; from += openedAtOnce) {
    const some = requests.slice(from, from + openedAtOnce)
    sockets.push(...(await Promise.all(some.map((request, at) => openStream(port, request, from + at)))))
  }
  return sockets
}

const closeAll = (sockets: ReadonlyArray<net.Socket>): void => {
  for (const socket of sockets) socket.removeAllListeners("close").destroy()
}

/**
 * Resident memory once garbage is collected and the memory has stopped falling, in MiB. A busy machine handles the signal late: the
 * second answer after it is from a service that has handled it.
 */
const collectedMiB = async ({ pid, port }: { readonly pid: number; readonly port: number }) => {
  for (let collections = 0; collections < 2; collections++) {
    process.kill(pid, "SIGUSR2")
    for (let answers = 0; answers < 2; answers++) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`)
      await answer.arrayBuffer()
    }
  }
  return settledMiB({ name: "corrente", pid })
}

/** A round's streams, and what each adds to the memory of a freshly started service, in bytes. */
interface Round {
  readonly bytesPerStream: number
  /** Streams that the service had not closed when the memory was read. */
  readonly open: number
}

const runRound = async (kind: Kind, backend: SideBackend, streams: number): Promise<Round> => {
  const server = await backend.startServer(collectArguments)
  try {
    const requests = await requestsOf(kind, backend, server.port, streams)
    closeAll(await openAll(server.port, requests.slice(0, Math.ceil(streams * warmUpShare))))
    const before = await collectedMiB(server)
    const sockets = await openAll(server.port, requests)
    const after = await collectedMiB(server)
    const open = sockets.filter(({ readyState }) => readyState === "open").length
    closeAll(sockets)
    return { bytesPerStream: ((after - before) * 2 ** 20) / sockets.length, open }
  } finally {
    await server.stop()
  }
}

const metricName: Readonly<Record<Kind, string>> = {
  "payment pages": "a stream of a payment page, resident",
  feeds: "an idle stream of a feed, resident",
}

/** That all streams were open, and that the difference of two readings is memory and not noise. */
const checksOf = (rounds: ReadonlyArray<Round>, streams: number): ReadonlyArray<Check> => {
  const open = rounds.map((round) => round.open)
  const least = Math.min(...rounds.map(({ bytesPerStream }) => bytesPerStream))
  return [
    {
      name: "streams",
      isRight: open.every((count) => count === streams),
      detail: `${open.join(", ")} of ${streams} streams told their state and stayed open`,
    },
    {
      name: "memory",
      isRight: least > 0,
      detail: `each round's streams took memory: at least ${formatNumber(least)} B each`,
    },
  ]
}

/** Memory of the streams of payment pages, beside that of idle streams of feeds. */
export const runPayments = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { streams, rounds } = sizes[size]
  const backend = await startSideBackend("corrente")
  const results: Record<Kind, Array<Round>> = { "payment pages": [], feeds: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      // Neither kind always comes first.
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        const result = await runRound(kind, backend, streams)
        results[kind].push(result)
        const each = formatNumber(result.bytesPerStream)
        progress(`payments, round ${round + 1} of ${rounds}: ${each} B a stream of ${kind}`)
      }
    }
  } finally {
    await backend.stop()
  }
  return {
    suite: "payments",
    parameters: { ...sizes[size], streams_a_charge: streamsPerCharge, streams_a_feed: streamsPerFeed },
    metrics: kinds.map((kind) =>
      makeMetric(metricName[kind], "B", {
        corrente: results[kind].map(({ bytesPerStream }) => bytesPerStream),
      }),
    ),
    targets: [],
    checks: checksOf(Object.values(results).flat(), streams),
  }
}
