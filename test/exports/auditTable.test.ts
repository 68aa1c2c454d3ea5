import { expect, it } from "vitest"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import { auditTable } from "../../src/exports/auditTable.ts"
import { tableWriter } from "../../src/exports/table.ts"

const entryOf = (details: SellerAuditEntry["details"]): SellerAuditEntry => ({
  ...{ id: "1-0", at: "2026-11-21T12:00:00.000Z", action: "withdrawal.requested", ip_address: null },
  ...{ actor: { type: "user", id: "usr_1", name: "Ana" }, resource_type: "withdrawal", resource_id: "wd_1" },
  details,
})
const textOf = (details: SellerAuditEntry["details"], locale: "pt-BR" | "en" = "pt-BR") =>
  auditTable.cells(entryOf(details), locale)[5]

it("details in a sheet are words of its language, amounts are money", () => {
  expect(textOf({ mode: "test", amount: 5_000, refund_limit: 123_456 })).toBe(
    "Modo: teste; Valor: R$ 50,00; Limite de devolução: R$ 1234,56",
  )
  expect(textOf({ mode: "live", amount: null, scopes: ["a", "b"], enabled: false }, "en")).toBe(
    "Mode: live; Amount: full amount; Scopes: a, b; Enabled: no",
  )
  expect(textOf({ later: { x: 1 } })).toBe('later: {"x":1}')
  expect(textOf({})).toBe("")
})

it("changed settings have what they were before, each with its unit", () => {
  const previous = { withdrawal_fee: 100, charge_fee_bps: 0, withdrawal_auto_approval: false }
  expect(textOf({ withdrawal_fee: 250, charge_fee_bps: 199, withdrawal_auto_approval: true, previous })).toBe(
    "Tarifa por saque: R$ 1,00 → R$ 2,50; Tarifa por cobrança (%): 0,00 % → 1,99 %; " +
      "Aprovar saques sozinho, sem operador: não → sim",
  )
  expect(textOf({ withdrawal_daily_count: 7 }, "en")).toBe("Number of withdrawals per day: 7")
})

it("JSON lines have details as they are", () => {
  const line = String(tableWriter(auditTable, "ndjson", "pt-BR").rows([entryOf({ amount: 5_000 })]))
  expect(JSON.parse(line)).toMatchObject({ details: { amount: 5_000 } })
})
