import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { compareAnswers } from "../../bench/suites/compareAnswers.ts"
import type { SideName } from "../../bench/support/sides.ts"

const charge = {
  id: "txn_1",
  amount: 1_000_001,
  customer: { document: "52998224725" },
  pix: { qr_base64: "q".repeat(1_200) },
}

/** The texts of a side's responses. */
interface Texts {
  readonly created: string
  readonly replayed: string
  readonly read: string
  readonly listed: string
  readonly isMarked: boolean
}

const textsOf = (own: object): Texts => {
  const text = JSON.stringify({ ...charge, ...own })
  const listed = `{"data":[${text}],"next_cursor":null}`
  return { created: text, replayed: text, read: text, listed, isMarked: true }
}

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const startSide = async (name: SideName, texts: Texts) => {
  let posts = 0
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      return response.end(request.url?.includes("?limit=50") ? texts.listed : texts.read)
    }
    posts += 1
    const isReplay = posts > 1
    if (isReplay && texts.isMarked) response.setHeader("Idempotent-Replayed", "true")
    response.writeHead(201).end(isReplay ? texts.replayed : texts.created)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { name, port: (server.address() as AddressInfo).port, apiKey: "sk_test_x" }
}

/** The check of a service and two peers, the last of which responds differently. */
const check = async (last: Texts, name: SideName = "fastify") =>
  compareAnswers([
    await startSide("corrente", textsOf({})),
    await startSide("bare", textsOf({})),
    await startSide(name, last),
  ])

describe("compareAnswers", () => {
  it("compareAnswers is right when all sides differ only in ids and in QRs of about the same length", async () => {
    const { isRight, detail } = await check(textsOf({ id: "txn_2", pix: { qr_base64: "q".repeat(1_300) } }))
    assert.isTrue(isRight, detail)
  })

  it("compareAnswers allows a QR of another length from fastify-qrcode alone", async () => {
    const large = textsOf({ pix: { qr_base64: "q".repeat(4_000) } })
    assert.isTrue((await check(large, "fastify-qrcode")).isRight)
    assert.isFalse((await check(large)).isRight)
  })

  it("compareAnswers is wrong when any side answers otherwise, and says how", async () => {
    const same = textsOf({})
    const wrongs: ReadonlyArray<readonly [Texts, string]> = [
      [textsOf({ more: 1 }), "the fields differ"],
      [textsOf({ amount: "1000001" }), "the fields differ"],
      [textsOf({ id: "txn_10" }), "the lengths differ"],
      [textsOf({ customer: { document: "52998224726" } }), "documents differ"],
      [
        { ...same, replayed: same.created.replace("txn_1", "txn_2") },
        "the created, replayed and read charge differ",
      ],
      [
        { ...same, read: same.created.replace("txn_1", "txn_2") },
        "the created, replayed and read charge differ",
      ],
      [{ ...same, isMarked: false }, "the created, replayed and read charge differ"],
      [{ ...same, listed: '{"data":[],"next_cursor":null}' }, "the list does not show the created charge"],
    ]
    for (const [texts, fault] of wrongs) {
      const { isRight, detail } = await check(texts)
      assert.isFalse(isRight, fault)
      assert.include(detail, fault)
    }
  })
})
