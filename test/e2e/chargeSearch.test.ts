import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { TransactionTotals } from "../../schema/resources/transactionTotals.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { type ErrorBody, type Page, readAll } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
let charges: Readonly<Record<"ana" | "joao" | "bia", Transaction>>

const path = "/v1/transactions"
const found = async (q: string, query = "") =>
  (await readAll<Transaction>(seller.test, path, `limit=2&q=${encodeURIComponent(q)}${query}`)).map(
    ({ customer }) => customer.name,
  )

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  const make = (name: string, email: string, document: string, reference?: string) =>
    makeCharge(seller.test, { amount: 1_000, customer: { name, email, document }, reference })
  const makeInMetadata = (name: string, order: string | number) =>
    makeCharge(seller.test, {
      amount: 1_000,
      customer: { name, email: "loja@plugin.example", document: "390.533.447-05" },
      metadata: { note: '{"order":"falso"}', order },
    })
  const made = {
    ana: await make("Ana Souza-Lima", "compras@loja.example", "529.982.247-25", "Pedido-1152"),
    joao: await make("João Ananias", "joao@example.com", "11144477735", "1153 balcão"),
    bia: await make("Beatriz Conceição", "Bia.C@example.com", "12.ABC.345/01DE-35"),
  }
  await makeInMetadata("Clara Plugin", "Wóo-77140")
  await makeInMetadata("Davi Plugin", 880_123)
  await makeInMetadata("Elis Plugin", "Pedido Nº 4711")
  charges = {
    ana: await chargeWhen(seller.test, made.ana.id, "paid"),
    joao: await chargeWhen(seller.test, made.joao.id, "paid"),
    bia: await chargeWhen(seller.test, made.bia.id, "paid"),
  }
})
afterAll(() => stage?.close())

const [ana, joao, bia] = ["Ana Souza-Lima", "João Ananias", "Beatriz Conceição"]

describe("q of GET /v1/transactions", () => {
  it.each([
    ["ana", [joao, ana]],
    ["ANA souza", [ana]],
    ["souza-lima", [ana]],
    ["Souza & Lima", [ana]],
    ["ana s.", [ana]],
    ["(Ana) «Souza»", [ana]],
    ["&", []],
    ["joão", [joao]],
    ["conceicao beatriz", [bia]],
    ["pedido-11", [ana]],
    ["1152", [ana]],
    ["115", [joao, ana]],
    ["balcao 1153", [joao]],
    ["bia.c@", [bia]],
    ["BIA.C@EXAMPLE.COM", [bia]],
    ["529982", [ana]],
    ["529.982.247-25", [ana]],
    ["111444 joao", [joao]],
    ["12.abc.345/01de-35", [bia]],
    ["444.777", [joao]],
    ["444777", [joao]],
    ["***.444.777-**", [joao]],
    ["247-25", []],
    ["woo-771", ["Clara Plugin"]],
    ["880123", ["Davi Plugin"]],
    ["88012", ["Davi Plugin"]],
    ["pedido nº 47", ["Elis Plugin"]],
    ["4711", ["Elis Plugin"]],
    ["falso", []],
    ["52998", []],
    ["nas", []],
    ["ana beatriz", []],
    ["example.com", []],
  ])("%s finds %j", async (q, names) => {
    expect(await found(q)).toEqual(names)
  })

  it("finds a charge by its id, txid and end-to-end id, whole", async () => {
    const { id, pix, end_to_end_id } = charges.ana
    for (const whole of [id, pix.txid, end_to_end_id ?? ""]) {
      expect(await found(whole)).toEqual([ana])
      expect(await found(whole.slice(0, -1))).toEqual([])
    }
    expect(await found(`${id} joao`)).toEqual([])
  })

  it("goes with the other filters, with totals, and finds nothing of other modes and sellers", async () => {
    expect(await found("ana", "&status=expired")).toEqual([])
    expect(await found("ana", `&to=${charges.ana.created_at}`)).toEqual([ana])
    expect(await found("ana", "&amount_min=1001")).toEqual([])
    const totals = await seller.test.get<TransactionTotals>(`${path}/summary?q=ana`)
    expect(totals.body).toMatchObject({ count: 2, gross: 2_000, complete: true })
    for (const other of [seller.live, (await stage.newSeller()).test]) {
      expect((await other.get<Page<Transaction>>(`${path}?q=ana`)).body.data).toEqual([])
      expect((await other.get<Page<Transaction>>(`${path}?q=${charges.ana.id}`)).body.data).toEqual([])
    }
  })

  it("takes five words and 200 characters, and refuses more, and none", async () => {
    const status = async (q: string) => {
      const { status, body } = await seller.test.get<ErrorBody>(`${path}?q=${encodeURIComponent(q)}`)
      return status === 200 ? 200 : [status, body.error.code, body.error.param]
    }
    const refused = [400, "validation_failed", "q"]
    expect(await status("a b c d e")).toBe(200)
    expect(await status("a b c d e f")).toEqual(refused)
    expect(await status("a".repeat(200))).toBe(200)
    expect(await status("a".repeat(201))).toEqual(refused)
    expect(await status("  ")).toEqual(refused)
  })
})
