import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { LoadJob, LoadResult } from "../../bench/load/job.ts"
import { startWorker, type Worker } from "../../bench/support/child.ts"
import { Histogram } from "../../bench/support/histogram.ts"

const idOf = (number: number): string => `txn_${String(number).padStart(26, "0")}`

/** A server that responds with `answer`, and records the keys and amounts it receives. */
const startPretender = async (
  answer: (
    response: ServerResponse,
    charge: { readonly id: string; readonly amount: number },
    request: IncomingMessage,
  ) => void,
) => {
  const keys: Array<string> = []
  const amounts: Array<number> = []
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    let text = ""
    request.on("data", (chunk) => {
      text += chunk
    })
    request.on("end", () => {
      const { amount } = (text === "" ? { amount: 7 } : JSON.parse(text)) as { readonly amount: number }
      keys.push(String(request.headers["idempotency-key"]))
      amounts.push(amount)
      answer(response, { id: request.url?.split("/")[3] ?? idOf(keys.length), amount }, request)
    })
  }
  const server = createServer(receive)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { server, port, keys, amounts }
}

const send = (response: ServerResponse, status: number, body: object): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, { "content-length": Buffer.byteLength(text) }).end(text)
}

const close = (server: Server): void => {
  server.close()
  server.closeAllConnections()
}

const createWorkload = { kind: "create", amountEnding: 1, keepMax: 10, keyPrefix: "abcdefgh" } as const

const job = (port: number, changes: Partial<LoadJob>): LoadJob => ({
  port,
  apiKey: "sk_test_x",
  workload: createWorkload,
  connections: 3,
  warmUpMillis: 20,
  measureMillis: 150,
  ratePerSecond: undefined,
  processes: {},
  ...changes,
})

describe("the load generator", () => {
  let load: Worker<LoadJob, LoadResult>
  beforeAll(() => {
    load = startWorker(new URL("../../bench/load/main.ts", import.meta.url))
  })
  afterAll(() => load.stop())

  it("the load generator sends each charge under its own Idempotency-Key and adds up the answers", async () => {
    const { server, port, keys, amounts } = await startPretender((response, charge) =>
      send(response, 201, charge),
    )
    const result = await load.ask(job(port, {}))
    close(server)
    assert.deepStrictEqual(result.problems, [])
    assert.isAbove(result.answered, 0)
    assert.strictEqual(result.answered, keys.length)
    assert.strictEqual(new Set(keys).size, keys.length)
    assert.isTrue(keys.every((key) => /^abcdefgh-\d{10}$/.test(key)))
    assert.strictEqual(
      result.amountSum,
      amounts.reduce((sum, amount) => sum + amount, 0),
    )
    assert.isTrue(amounts.every((amount) => amount % 100 === 1))
    assert.strictEqual(result.charges.length, Math.min(10, keys.length))
  })

  it("the load generator counts any answer but the expected one as a problem", async () => {
    const wrongs: ReadonlyArray<Parameters<typeof startPretender>[0]> = [
      (response) => send(response, 503, { error: "away" }),
      (response, charge) => send(response, 200, charge),
      (response, charge) => send(response, 201, { ...charge, amount: charge.amount + 1 }),
      (response) => send(response, 201, {}),
    ]
    for (const wrong of wrongs) {
      const { server, port } = await startPretender(wrong)
      const result = await load.ask(job(port, {}))
      close(server)
      assert.strictEqual(result.answered, 0)
      assert.isAbove(result.problemCount, 0)
      assert.isNotEmpty(result.problems)
    }
  })

  it("the load generator counts a connection that the server closes as a problem", async () => {
    const { server, port } = await startPretender((response) => response.socket?.destroy())
    const result = await load.ask(job(port, { connections: 1 }))
    close(server)
    assert.deepStrictEqual(result.problems, ["the server closed the connection"])
    assert.strictEqual(result.answered, 0)
  })

  it("the load generator reads the given charges and notices an answer with another amount", async () => {
    const charges = [1, 2, 3].map((number) => ({ id: idOf(number), amount: 7, answeredAtMillis: 0 }))
    const { server, port } = await startPretender((response, charge) => send(response, 200, charge))
    const right = await load.ask(job(port, { workload: { kind: "read", charges } }))
    const others = charges.map((charge) => ({ ...charge, amount: 8 }))
    const wrong = await load.ask(job(port, { workload: { kind: "read", charges: others } }))
    close(server)
    assert.strictEqual(right.problemCount, 0)
    assert.strictEqual(right.amountSum, right.answered * 7)
    assert.strictEqual(wrong.answered, 0)
    assert.isAbove(wrong.problemCount, 0)
  })

  it("the load generator creates charges under many sellers' API keys in turn", async () => {
    const authorizations: Array<string> = []
    const { server, port } = await startPretender((response, charge, request) => {
      authorizations.push(request.headers.authorization ?? "")
      send(response, 201, charge)
    })
    const apiKeys = ["sk_test_a", "sk_test_b", "sk_test_c"]
    const workload = { ...createWorkload, apiKeys }
    // Requests are due at fixed times, so their number is known.
    const result = await load.ask(
      job(port, { workload, connections: 1, warmUpMillis: 0, measureMillis: 60, ratePerSecond: 100 }),
    )
    close(server)
    assert.strictEqual(result.created, 6)
    assert.deepStrictEqual(
      authorizations,
      [...apiKeys, ...apiKeys].map((key) => `Bearer ${key}`),
    )
  })

  it("the load generator's mixed workload reads four times as often as it creates, and only what it created", async () => {
    const amounts = new Map<string, number>()
    let reads = 0
    const { server, port } = await startPretender((response, charge, request) => {
      if (request.method === "GET") {
        reads += 1
        const amount = amounts.get(charge.id)
        return amount === undefined ? send(response, 404, {}) : send(response, 200, { ...charge, amount })
      }
      amounts.set(charge.id, charge.amount)
      send(response, 201, charge)
    })
    const result = await load.ask(job(port, { workload: { ...createWorkload, kind: "mixed", keepMax: 5 } }))
    close(server)
    assert.deepStrictEqual(result.problems, [])
    assert.strictEqual(result.created, amounts.size)
    assert.strictEqual(result.answered, amounts.size + reads)
    assert.strictEqual(
      result.createdSum,
      [...amounts.values()].reduce((sum, amount) => sum + amount, 0),
    )
    assert.approximately(reads, amounts.size * 4, 4)
  })

  it("the load generator replays with the first request's key and bytes, and expects the first answer's bytes", async () => {
    const seen = new Map<string, { readonly amount: number; times: number; readonly id: string }>()
    const replaying = (change: object) =>
      startPretender((response, charge, request) => {
        const key = String(request.headers["idempotency-key"])
        const first = seen.get(key)
        if (first === undefined) {
          seen.set(key, { ...charge, times: 1 })
          return send(response, 201, charge)
        }
        first.times += 1
        const { id, amount } = first
        send(response, 201, amount === charge.amount ? { id, amount, ...change } : {})
      })
    const replay = { ...createWorkload, kind: "replay", distinct: 4 } as const
    const { server, port } = await replaying({})
    const right = await load.ask(job(port, { workload: replay }))
    close(server)
    assert.deepStrictEqual(right.problems, [])
    assert.strictEqual(right.created, seen.size)
    assert.isAtMost(seen.size, 4 + 2)
    const times = [...seen.values()].reduce((sum, first) => sum + first.times, 0)
    assert.strictEqual(right.answered, times)
    assert.isAbove(times, seen.size)

    seen.clear()
    const other = await replaying({ status: "paid" })
    const wrong = await load.ask(job(other.port, { workload: replay }))
    close(other.server)
    assert.strictEqual(wrong.answered, wrong.created)
    assert.isAbove(wrong.problemCount, 0)
  })

  it("the load generator lists charges and notices a missing one, an extra one and another order", async () => {
    const ids = [3, 2, 1].map(idOf)
    const paths = new Set<string>()
    const listing = async (shown: ReadonlyArray<string>) => {
      const data = shown.map((id) => ({ id, object: "transaction", amount: 7 }))
      const { server, port } = await startPretender((response, _, request) => {
        paths.add(`${request.method} ${request.url}`)
        send(response, 200, { data, next_cursor: null })
      })
      const result = await load.ask(job(port, { workload: { kind: "list", ids } }))
      close(server)
      return result
    }
    const right = await listing(ids)
    assert.deepStrictEqual([...paths], ["GET /v1/transactions?limit=3"])
    assert.deepStrictEqual(right.problems, [])
    assert.isAbove(right.answered, 0)
    for (const shown of [ids.slice(1), ids.slice(0, 2), [...ids, idOf(0)], ids.toReversed(), []]) {
      const wrong = await listing(shown)
      assert.strictEqual(wrong.answered, 0, shown.join())
      assert.isAbove(wrong.problemCount, 0)
    }
  })

  it("the load generator asks for /health and counts any status but ok as a problem", async () => {
    const paths = new Set<string>()
    const answering = (text: string) =>
      createServer((request, response) => {
        paths.add(`${request.method} ${request.url}`)
        response.writeHead(200, { "content-length": text.length }).end(text)
      })
    const results: Array<LoadResult> = []
    for (const text of ['{"status":"ok","version":"1","uptime_s":1}', '{"status":"degraded"}']) {
      const server = answering(text)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      results.push(await load.ask(job(port, { workload: { kind: "health" } })))
      close(server)
    }
    const [right, wrong] = results
    assert.deepStrictEqual([...paths], ["GET /health"])
    assert.strictEqual(right?.problemCount, 0)
    assert.isAbove(right?.answered ?? 0, 0)
    assert.strictEqual(wrong?.answered, 0)
    assert.isAbove(wrong?.problemCount ?? 0, 0)
  })

  it("the load generator at a fixed rate counts a stalled server's delay for every request that it kept waiting", async () => {
    // Everything before the gate opens waits for it: 40 requests, one every 10 ms, over one connection.
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let first = true
    const { server, port, keys } = await startPretender((response, charge) => {
      if (first) setTimeout(open, 400)
      first = false
      gate.then(() => send(response, 201, charge))
    })
    const result = await load.ask(
      job(port, { connections: 1, warmUpMillis: 0, measureMillis: 400, ratePerSecond: 100 }),
    )
    close(server)
    assert.deepStrictEqual(result.problems, [])
    assert.strictEqual(keys.length, 40)
    const latency = new Histogram(result.latency)
    assert.strictEqual(latency.count, 40)
    assert.isAbove(latency.percentile(50), 150)
    assert.isAbove(latency.percentile(100), 390)
  })
})
