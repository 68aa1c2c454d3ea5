import readWorkbook from "read-excel-file/node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
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
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="cobrancas-teste.csv"')
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
    expect(book.headers.get("content-disposition")).toBe('attachment; filename="cobrancas-teste.xlsx"')
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

describe("POST /v1/me/transactions/export", () => {
  const chosen = "/v1/me/transactions/export"
  const sessionOf = async (mode: "live" | "test") => {
    const { cookie } = await signInAsSeller(stage.service, seller.id)
    return dashboardClient(stage.service.url, { cookie }, mode)
  }
  const amountsOf = (text: string) =>
    text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(";")[10])
  const missing = (count: number) => Array.from({ length: count }, (_, i) => `txn_${i}`)

  it("sends the charges of the ids, newest first and each once, without those of others", async () => {
    const mine = [
      await makeCharge(seller.test, { amount: 4_001 }),
      await makeCharge(seller.test, { amount: 5_001 }),
    ]
    const theirs = await makeCharge((await stage.newSeller()).test, { amount: 6_001 })
    const ids = [...mine, theirs, ...mine].map(({ id }) => id)
    const { text } = await (await sessionOf("test")).send("POST", chosen, { ids })
    expect(amountsOf(text)).toEqual(["50,01", "40,01"])
    const live = await (await sessionOf("live")).send("POST", chosen, { ids })
    expect(amountsOf(live.text)).toEqual([])
  })

  it("goes on behind a page of ids, of which some lead to no charge", async () => {
    const made = []
    for (let i = 0; i < limits.exportPageEntries + 3; i++)
      made.push(await makeCharge(seller.test, { amount: 10_000 + 100 * i }))
    const ids = [...missing(limits.bulkRowsMax - made.length), ...made.map(({ id }) => id)]
    const { text } = await (await sessionOf("test")).send("POST", chosen, { ids })
    expect(amountsOf(text)).toEqual(made.map((_, i) => `${100 + i},00`).reverse())
  })

  it.each([
    { ids: [] },
    { ids: missing(limits.bulkRowsMax + 1) },
    { ids: "txn_1" },
    {},
    { ids: missing(1), format: "ofx" },
  ])("refuses what is no choice of charges (%#)", async (body) => {
    const refused = await (await sessionOf("test")).send("POST", chosen, body)
    expect([refused.status, refused.body.error.code]).toEqual([400, "validation_failed"])
    expect(refused.body.error.param).toBe("format" in body ? "format" : "ids")
  })
})
