import { describe, expect, it } from "vitest"
import type { CsvLocale } from "../../schema/csv.ts"
import { exampleTransaction, type Transaction } from "../../schema/resources/transaction.ts"
import { chargeTable } from "../../src/exports/chargeTable.ts"
import { tableWriter } from "../../src/exports/table.ts"

const paid: Transaction = {
  ...exampleTransaction,
  status: "paid",
  fee: 130,
  refunded_amount: 500,
  paid_at: "2026-11-21T12:00:12.000Z",
  end_to_end_id: "E1234567820261121120012345678901",
}
const document = "02998224725"

const lineOf = (charge: Transaction, locale: CsvLocale, ofPayer = document) =>
  tableWriter(chargeTable, "csv", locale).rows([{ charge, document: ofPayer }])
const headerOf = (locale: CsvLocale) => tableWriter(chargeTable, "csv", locale).header

describe("files of charges", () => {
  it("a Brazilian spreadsheet gets semicolons, decimal commas, its own dates and Portuguese names after a byte order mark", () => {
    expect(headerOf("pt-BR")).toMatch(/^\uFEFFCobrança;Situação;Criada em;.*;Líquido\r\n$/u)
    expect(lineOf(paid, "pt-BR")).toBe(
      `${paid.id};Paga;21/11/2026 09:00:00;21/11/2026 09:00:12;Ana Souza;029.982.247-25;ana@example.com;A-1001;` +
        `${paid.pix.txid};${paid.end_to_end_id};129,90;129,90;1,30;5,00;123,60\r\n`,
    )
  })

  it("everybody else gets RFC 4180", () => {
    expect(headerOf("en")).toMatch(/^id,status,created_at,.*,net\r\n$/)
    expect(lineOf(paid, "en")).toContain(",129.90,129.90,1.30,5.00,123.60\r\n")
  })

  it("a charge that is not paid brought nothing yet, and may cost more than it brought", () => {
    expect(lineOf(exampleTransaction, "en")).toMatch(/,129\.90,0\.00,0\.00,0\.00,0\.00\r\n$/)
    const lost = { ...paid, refunded_amount: 12_990 }
    expect(lineOf(lost, "pt-BR")).toMatch(/;129,90;-1,30\r\n$/)
  })

  it("texts are quoted where they have the separator, and disarmed where a spreadsheet would run them", () => {
    const customer = { ...paid.customer, name: '=cmd;"x"', email: "a,b@example.com" }
    const line = lineOf({ ...paid, customer, reference: "-1;2" }, "pt-BR")
    expect(line).toContain(`;"'=cmd;""x""";029.982.247-25;"a,b@example.com";"'-1;2";`)
    expect(lineOf({ ...paid, customer }, "en")).toContain(',"a,b@example.com",')
  })

  it("a CNPJ has its punctuation", () => {
    expect(lineOf(paid, "en", "12ABC34501DE35")).toContain(",12.ABC.345/01DE-35,")
  })

  it("a JSON line has the API's names and words, moments in UTC and centavos, in either language", () => {
    for (const locale of ["pt-BR", "en"] as const) {
      const line = tableWriter(chargeTable, "ndjson", locale).rows([{ charge: paid, document }])
      expect(JSON.parse(String(line))).toEqual({
        ...{ id: paid.id, status: "paid", created_at: paid.created_at, paid_at: paid.paid_at },
        ...{ payer: "Ana Souza", document, email: "ana@example.com", reference: "A-1001" },
        ...{ txid: paid.pix.txid, end_to_end_id: paid.end_to_end_id },
        ...{ amount: 12_990, gross: 12_990, fee: 130, refunded: 500, net: 12_360 },
      })
    }
  })
})
