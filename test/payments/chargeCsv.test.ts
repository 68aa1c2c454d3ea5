import { describe, expect, it } from "vitest"
import { exampleTransaction, type Transaction } from "../../schema/resources/transaction.ts"
import { chargeCsvHeader, chargeCsvLine } from "../../src/payments/chargeCsv.ts"

const paid: Transaction = {
  ...exampleTransaction,
  status: "paid",
  fee: 130,
  refunded_amount: 500,
  paid_at: "2026-11-21T12:00:12.000Z",
  end_to_end_id: "E1234567820261121120012345678901",
}
const document = "02998224725"

describe("files of charges", () => {
  it("a Brazilian spreadsheet gets semicolons, decimal commas, its own dates and Portuguese names after a byte order mark", () => {
    expect(chargeCsvHeader("pt-BR")).toMatch(/^\uFEFFCobrança;Situação;Criada em;.*;Líquido\r\n$/u)
    expect(chargeCsvLine(paid, document, "pt-BR")).toBe(
      `${paid.id};Paga;21/11/2026 09:00:00;21/11/2026 09:00:12;Ana Souza;029.982.247-25;ana@example.com;A-1001;` +
        `${paid.pix.txid};${paid.end_to_end_id};129,90;129,90;1,30;5,00;123,60\r\n`,
    )
  })

  it("everybody else gets RFC 4180", () => {
    expect(chargeCsvHeader("en")).toMatch(/^id,status,created_at,.*,net\r\n$/)
    expect(chargeCsvLine(paid, document, "en")).toContain(",129.90,129.90,1.30,5.00,123.60\r\n")
  })

  it("a charge that is not paid brought nothing yet, and may cost more than it brought", () => {
    expect(chargeCsvLine(exampleTransaction, document, "en")).toMatch(/,129\.90,0\.00,0\.00,0\.00,0\.00\r\n$/)
    const lost = { ...paid, refunded_amount: 12_990 }
    expect(chargeCsvLine(lost, document, "pt-BR")).toMatch(/;129,90;-1,30\r\n$/)
  })

  it("texts are quoted where they have the separator, and disarmed where a spreadsheet would run them", () => {
    const customer = { ...paid.customer, name: '=cmd;"x"', email: "a,b@example.com" }
    const line = chargeCsvLine({ ...paid, customer, reference: "-1;2" }, document, "pt-BR")
    expect(line).toContain(`;"'=cmd;""x""";029.982.247-25;"a,b@example.com";"'-1;2";`)
    expect(chargeCsvLine({ ...paid, customer }, document, "en")).toContain(',"a,b@example.com",')
  })

  it("a CNPJ has its punctuation", () => {
    expect(chargeCsvLine(paid, "12ABC34501DE35", "en")).toContain(",12.ABC.345/01DE-35,")
  })
})
