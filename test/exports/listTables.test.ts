import { describe, expect, it } from "vitest"
import type { EntryCharge } from "../../schema/resources/ledger.ts"
import { exampleRefund, type Refund } from "../../schema/resources/refund.ts"
import { exampleWithdrawal, type Withdrawal } from "../../schema/resources/withdrawal.ts"
import { refundTable } from "../../src/exports/refundTable.ts"
import { tableWriter } from "../../src/exports/table.ts"
import { withdrawalTable } from "../../src/exports/withdrawalTable.ts"

const refund: Refund = {
  ...exampleRefund,
  ...{ status: "succeeded", reason: "=1+1", completed_at: "2026-11-21T12:00:12.000Z", return_id: "D1" },
}
const charge: EntryCharge = {
  ...{ id: refund.transaction_id, txid: "x", end_to_end_id: "E1", amount: 1, fee: 0, net_amount: 1 },
  ...{ reference: "A-1001", customer: { name: "Ana Souza", document: "52998224725" } },
}
const withdrawal: Withdrawal = {
  ...exampleWithdrawal,
  ...{ status: "failed", completed_at: "2026-11-21T12:00:12.000Z", failure_reason: "AM09" },
}

describe("files of refunds", () => {
  it("a line has the refund in words, and whom it went back to", () => {
    const line = tableWriter(refundTable, "csv", "pt-BR").rows([{ refund, charge }])
    expect(line).toBe(
      `${refund.id};Devolvida;21/11/2026 09:00:00;21/11/2026 09:00:12;5,00;'=1+1;${charge.id};` +
        "Ana Souza;529.982.247-25;A-1001;E1;D1;\r\n",
    )
  })

  it("a refund whose charge is forgotten keeps its own fields, and one that has not ended has no moment", () => {
    const open = { refund: { ...refund, status: "pending", completed_at: null } as const, charge: undefined }
    const line = tableWriter(refundTable, "csv", "en").rows([open])
    expect(line).toBe(`${refund.id},pending,2026-11-21 09:00:00,,5.00,'=1+1,${charge.id},,,,,D1,\r\n`)
  })

  it("a JSON line has the API's names and words", () => {
    const line = String(tableWriter(refundTable, "ndjson", "pt-BR").rows([{ refund, charge }]))
    expect(JSON.parse(line)).toMatchObject({
      ...{ id: refund.id, status: "succeeded", amount: 500, reason: "=1+1", origin: "seller" },
      ...{ payer: "Ana Souza", document: "52998224725", completed_at: refund.completed_at },
    })
  })
})

describe("files of withdrawals", () => {
  it("a line has the withdrawal in words, its fee and total, and the masked key", () => {
    expect(tableWriter(withdrawalTable, "csv", "pt-BR").rows([withdrawal])).toBe(
      `${withdrawal.id};Falhou;21/11/2026 09:00:00;21/11/2026 09:00:12;100,00;1,00;101,00;` +
        "***.982.247-**;November;;0,00;0,00;AM09\r\n",
    )
  })

  it("a JSON line has what the bank sent back later", () => {
    const returned = { ...withdrawal, returned_amount: 10_000, debited_amount: 5 }
    const line = String(tableWriter(withdrawalTable, "ndjson", "en").rows([returned]))
    expect(JSON.parse(line)).toMatchObject({
      ...{ status: "failed", total: 10_100, pix_key_type: "cpf", pix_key: "***.982.247-**" },
      ...{ returned_amount: 10_000, debited_amount: 5, failure_reason: "AM09" },
    })
  })
})
