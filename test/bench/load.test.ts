import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { ResponseReader } from "../../bench/load/connection.ts"
import type { LoadJob } from "../../bench/load/generator.ts"
import { type Load, startLoad } from "../../bench/support/load.ts"
import { percentileOf } from "../../bench/support/statistics.ts"

const idOf = (number: number): string => `txn_${String(number).padStart(26, "0")}`

interface Asked {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly authorization: string
  /** The charge that it creates (7 is read), under an id of its own. */
  readonly id: string
  readonly amount: number
}

type Answer = (
  asked: Asked,
) => readonly [status: number, body: object] | "cut" | Promise<readonly [number, object]>

const created: Answer = ({ id, amount }) => [201, { id, amount }]

let load: Load
beforeAll(() => {
  load = startLoad()
})
afterAll(() => load.stop())

const workload = { kind: "create", amountEnding: 1, keepMax: 10, keyPrefix: "abcdefgh" } as const

/** Runs a job against a server that answers so; returns its result and what it asked. */
const run = async (answer: Answer, job: Partial<LoadJob> = {}) => {
  const seen: Array<Asked> = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ""
    for await (const chunk of request) text += chunk
    const { method = "", url = "", headers } = request
    const { amount } = (text === "" ? { amount: 7 } : JSON.parse(text)) as { readonly amount: number }
    const id = url.split("/")[3] ?? idOf(seen.length)
    const key = String(headers["idempotency-key"])
    const asked = { method, url, key, authorization: headers.authorization ?? "", id, amount }
    seen.push(asked)
    const answered = await answer(asked)
    if (answered === "cut") return request.socket.destroy()
    const body = JSON.stringify(answered[1])
    response.writeHead(answered[0], { "content-length": Buffer.byteLength(body) }).end(body)
  }
  const server = createServer(receive)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const common = { port, apiKey: "sk_test_x", workload, connections: 3, warmUpMillis: 20, measureMillis: 150 }
  const result = await load.ask({ ...common, ...job }).finally(() => server.closeAllConnections())
  server.close()
  return { result, seen }
}

const sumOf = (seen: ReadonlyArray<Asked>) => seen.reduce((sum, { amount }) => sum + amount, 0)

describe("the load generator", () => {
  it("the load generator sends each charge under its own Idempotency-Key and adds up the answers", async () => {
    const { result, seen } = await run(created)
    assert.deepStrictEqual(result.problems, [])
    assert.isAbove(seen.length, 0)
    assert.deepStrictEqual([result.answered, result.createdSum], [seen.length, sumOf(seen)])
    assert.strictEqual(new Set(seen.map(({ key }) => key)).size, seen.length)
    assert.isTrue(seen.every(({ key, amount }) => /^abcdefgh-\d{10}$/.test(key) && amount % 100 === 1))
    assert.strictEqual(result.charges.length, Math.min(10, seen.length))
  })

  it("the load generator counts any answer but the expected one, and a cut connection, as a problem", async () => {
    const wrongs: ReadonlyArray<Answer> = [
      () => [503, { error: "away" }],
      ({ id, amount }) => [200, { id, amount }],
      ({ id, amount }) => [201, { id, amount: amount + 1 }],
      () => [201, {}],
      () => "cut",
    ]
    for (const wrong of wrongs) {
      const { result } = await run(wrong, { connections: 1 })
      assert.strictEqual(result.answered, 0)
      assert.isNotEmpty(result.problems)
    }
  })

  it("the load generator reads the given charges and notices an answer with another amount", async () => {
    for (const [amount, isRight] of [
      [7, true],
      [8, false],
    ] as const) {
      const charges = [1, 2, 3].map((number) => ({ id: idOf(number), amount, answeredAtMillis: 0 }))
      const answer: Answer = (asked) => [200, { id: asked.id, amount: asked.amount }]
      const { result } = await run(answer, { workload: { kind: "read", charges } })
      assert.deepStrictEqual([result.answered > 0, result.problemCount === 0], [isRight, isRight])
    }
  })

  it("the load generator creates charges under many sellers' API keys in turn, as many as its rate makes due", async () => {
    const apiKeys = ["sk_test_a", "sk_test_b", "sk_test_c"]
    const job = { connections: 1, warmUpMillis: 0, measureMillis: 60, ratePerSecond: 100 }
    const { result, seen } = await run(created, { workload: { ...workload, apiKeys }, ...job })
    assert.strictEqual(result.created, 6)
    const wanted = [...apiKeys, ...apiKeys].map((key) => `Bearer ${key}`)
    assert.deepStrictEqual(
      seen.map(({ authorization }) => authorization),
      wanted,
    )
  })

  it("the load generator's mixed workload reads four times as often as it creates, and only what it created", async () => {
    const amounts = new Map<string, number>()
    const answer: Answer = ({ method, id, amount }) => {
      if (method === "GET") return amounts.has(id) ? [200, { id, amount: amounts.get(id) }] : [404, {}]
      amounts.set(id, amount)
      return [201, { id, amount }]
    }
    const { result, seen } = await run(answer, { workload: { ...workload, kind: "mixed", keepMax: 5 } })
    assert.deepStrictEqual(result.problems, [])
    assert.deepStrictEqual([result.created, result.answered], [amounts.size, seen.length])
    assert.approximately(seen.length, amounts.size * 5, 4)
  })

  it("the load generator replays with the first request's key and bytes, and expects the first answer's bytes", async () => {
    const replay = async (change: object) => {
      const firsts = new Map<string, Asked>()
      const answer: Answer = (asked) => {
        const first = firsts.get(asked.key)
        if (first === undefined) firsts.set(asked.key, asked)
        const { id, amount } = first ?? asked
        return [201, { id, amount: asked.amount === amount ? amount : 0, ...(first && change) }]
      }
      return run(answer, { workload: { ...workload, kind: "replay", distinct: 4 } })
    }
    const right = await replay({})
    assert.deepStrictEqual(right.result.problems, [])
    assert.isAtMost(right.result.created, 4 + 2)
    assert.deepStrictEqual([right.result.answered, right.seen.length > 6], [right.seen.length, true])
    const wrong = await replay({ status: "paid" })
    assert.strictEqual(wrong.result.answered, wrong.result.created)
    assert.isAbove(wrong.result.problemCount, 0)
  })

  it("the load generator lists charges and notices a missing one, an extra one and another order", async () => {
    const ids = [3, 2, 1].map(idOf)
    const lists = [ids, ids.slice(1), ids.slice(0, 2), [...ids, idOf(0)], ids.toReversed(), []]
    for (const [at, shown] of lists.entries()) {
      const data = shown.map((id) => ({ id, object: "transaction", amount: 7 }))
      const { result, seen } = await run(() => [200, { data }], { workload: { kind: "list", ids } })
      assert.strictEqual(seen[0]?.url, "/v1/transactions?limit=3")
      assert.deepStrictEqual([result.answered > 0, result.problemCount === 0], [at === 0, at === 0])
    }
  })

  it("the load generator at a fixed rate counts a stalled server's delay for every request that it kept waiting", async () => {
    // Everything before the gate opens waits for it: 40 requests, one every 10 ms, over one connection.
    let open: Promise<void> | undefined
    const answer: Answer = async ({ id, amount }) => {
      open ??= new Promise((resolve) => setTimeout(resolve, 400))
      await open
      return [201, { id, amount }]
    }
    const job = { connections: 1, warmUpMillis: 0, measureMillis: 400, ratePerSecond: 100 }
    const { result, seen } = await run(answer, job)
    assert.deepStrictEqual(result.problems, [])
    assert.deepStrictEqual([seen.length, result.latency.length], [40, 40])
    assert.isAbove(percentileOf(result.latency, 50), 150)
    assert.isAbove(percentileOf(result.latency, 100), 390)
  })
})

describe("ResponseReader", () => {
  const body = '{"id":"\u00e3\u00e9"}\n'
  const head = "HTTP/1.1 201 Created\r\nX-Request-Id: r\r\nContent-Type: application/json\r\n"
  const answer = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

  it("ResponseReader reads responses cut anywhere, one after the other, though each piece is overwritten", () => {
    const answers: Array<readonly [number, string]> = []
    const reader = new ResponseReader((status, bytes, start, end) => {
      answers.push([status, bytes.toString("utf8", start, end)])
    })
    for (let cut = 1; cut < answer.length; cut++) {
      for (const piece of [answer.subarray(0, cut), answer.subarray(cut)]) {
        const shared = Buffer.from(piece)
        reader.read(shared)
        shared.fill("x")
      }
      assert.deepStrictEqual(answers.splice(0), [[201, body]], `cut at ${cut}`)
    }
    reader.read(Buffer.from("HTTP/1.1 202 Accepted\r\ncontent-length:0\r\n\r\n"))
    assert.deepStrictEqual(answers, [[202, ""]])
  })

  it("ResponseReader refuses a response without Content-Length, with surplus bytes or that is not HTTP", () => {
    const read = (text: string) => () => new ResponseReader(() => {}).read(Buffer.from(text))
    assert.throws(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "Content-Length")
    assert.throws(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), "more bytes")
    assert.throws(read("+OK\r\nContent-Length: 1\r\n\r\na"), "Content-Length")
  })
})
