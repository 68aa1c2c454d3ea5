import readWorkbook from "read-excel-file/node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
const path = "/v1/transactions/export"

beforeAll(async () => {
  stage = await openStage()
  seller = await stage.newSeller()
  for (const amount of [1_001, 2_001, 3_001]) {
    await makeCharge(seller.test, { amount, reference: `pedido ${amount}` })
  }
})
afterAll(() => stage?.close())

describe("GET /v1/transactions/export", () => {
  it("sends the charges of the filter as a file, newest first, with the payer's document", async () => {
    const answer = await fetch(`${stage.service.url}${path}?format=csv&locale=en&amount_min=2001`, {
      headers: { Authorization: `Bearer ${seller.keys.test}` },
    })
    const type = answer.headers.get("content-type")
    expect([answer.status, type]).toEqual([200, "text/csv; charset=utf-8; header=present"])
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="charges-test.csv"')
    const lines = (await answer.text()).split("\r\n")
    expect(lines.map((line) => line.split(",")[10])).toEqual(["amount", "30.01", "20.01", undefined])
    expect(lines[1]).toContain(",pending,")
    expect(lines[1]).toContain(",Ana Souza,529.982.247-25,ana@example.com,pedido 3001,")
  })

  it("a spreadsheet in Brazil gets semicolons, decimal commas and a byte order mark", async () => {
    const answer = await fetch(`${stage.service.url}${path}?q=3001`, {
      headers: { Authorization: `Bearer ${seller.keys.test}` },
    })
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="cobrancas-test.csv"')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const lines = bytes.toString().split("\r\n")
    expect(lines.map((line) => line.split(";")[10])).toEqual(["Valor", "30,01", undefined])
  })

  it("the same charges are a workbook and JSON lines", async () => {
    const read = (query: string) =>
      fetch(`${stage.service.url}${path}?amount_min=2001&${query}`, {
        headers: { Authorization: `Bearer ${seller.keys.test}` },
      })
    const book = await read("format=xlsx")
    expect(book.headers.get("content-disposition")).toBe('attachment; filename="cobrancas-test.xlsx"')
    const [sheet] = await readWorkbook(Buffer.from(await book.arrayBuffer()))
    expect(sheet?.data.map((row) => [row[1], row[7], row[10]])).toEqual([
      ["Situação", "Pedido", "Valor"],
      ["Pendente", "pedido 3001", 30.01],
      ["Pendente", "pedido 2001", 20.01],
    ])
    const lines = await read("format=ndjson&locale=en")
    expect(lines.headers.get("content-disposition")).toBe('attachment; filename="charges-test.ndjson"')
    const found = (await lines.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(found).toMatchObject([{ status: "pending", amount: 3_001 }, { reference: "pedido 2001" }])
  })

  it("sends a header alone where there are no charges, in the other mode and of another seller", async () => {
    for (const other of [seller.live, (await stage.newSeller()).test]) {
      expect((await other.get(path)).text.split("\r\n")).toHaveLength(2)
    }
  })

  it.each(["format=pdf", "format=ofx", "locale=fr", "amount_min=x"])(
    "%s is refused with its parameter",
    async (query) => {
      const { status, body } = await seller.test.get<ErrorBody>(`${path}?${query}`)
      expect([status, body.error.param]).toEqual([400, query.split("=")[0]])
    },
  )
})
