import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { compareAnswers } from "../../bench/suites/compareAnswers.ts"
import type { SideName } from "../../bench/support/sides.ts"

const charge = {
  id: "txn_1",
  amount: 1,
  customer: { document: "5299" },
  pix: { qr_base64: "q".repeat(1_200) },
}

/** What a side answers: by default the same charge to all four requests. */
const answersOf = (own: object, others: object = {}) => {
  const text = JSON.stringify({ ...charge, ...own })
  const listed = `{"data":[${text}],"next_cursor":null}`
  return { created: text, replayed: text, read: text, listed, isMarked: true, ...others }
}

/** The check of the service and a peer that answers so. */
const check = async (own: object, others: object = {}, name: SideName = "fastify") => {
  const start = async (side: SideName, answers: ReturnType<typeof answersOf>) => {
    let posts = 0
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        return response.end(request.url?.includes("?limit=50") ? answers.listed : answers.read)
      }
      posts += 1
      if (posts > 1 && answers.isMarked) response.setHeader("Idempotent-Replayed", "true")
      response.writeHead(201).end(posts > 1 ? answers.replayed : answers.created)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    server.unref()
    return { name: side, port: (server.address() as AddressInfo).port, apiKey: "sk_test_x" }
  }
  return compareAnswers([await start("corrente", answersOf({})), await start(name, answersOf(own, others))])
}

describe("compareAnswers", () => {
  it("compareAnswers is right when sides differ only in ids and in QRs, of about the same length but from qrcode", async () => {
    assert.isTrue((await check({ id: "txn_2", pix: { qr_base64: "q".repeat(1_300) } })).isRight)
    const large = { pix: { qr_base64: "q".repeat(4_000) } }
    assert.isTrue((await check(large, {}, "fastify-qrcode")).isRight)
    assert.isFalse((await check(large)).isRight)
  })

  it("compareAnswers is wrong when any side answers otherwise, and says how", async () => {
    const other = JSON.stringify({ ...charge, id: "txn_2" })
    const wrongs: ReadonlyArray<readonly [fault: string, own: object, others?: object]> = [
      ["the fields differ", { more: 1 }],
      ["the fields differ", { amount: "1" }],
      ["the lengths differ", { id: "txn_10" }],
      ["documents differ", { customer: { document: "5298" } }],
      ["the created, replayed and read charge differ", {}, { replayed: other }],
      ["the created, replayed and read charge differ", {}, { read: other }],
      ["the created, replayed and read charge differ", {}, { isMarked: false }],
      ["the list does not show the created charge", {}, { listed: '{"data":[],"next_cursor":null}' }],
    ]
    for (const [fault, own, others] of wrongs) {
      const { isRight, detail } = await check(own, others)
      assert.isFalse(isRight, fault)
      assert.include(detail, fault)
    }
  })
})
