import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { momentCell, statusCell } from "./cells.ts"
import type { ExportTable } from "./table.ts"

/** Files of withdrawals (`docs/contract/exports.md#withdrawals`); Pix keys are masked, as in the list. */
export const withdrawalTable: ExportTable<Withdrawal> = {
  sheet: { "pt-BR": "Saques", en: "Withdrawals" },
  columns: [
    { "pt-BR": "Saque", en: "id", width: 33 },
    { "pt-BR": "Situação", en: "status", width: 22 },
    { "pt-BR": "Pedido em", en: "created_at", width: 20 },
    { "pt-BR": "Concluído em", en: "completed_at", width: 20 },
    { "pt-BR": "Valor", en: "amount", width: 15 },
    { "pt-BR": "Tarifa", en: "fee", width: 12 },
    { "pt-BR": "Total", en: "total", width: 15 },
    { "pt-BR": "Chave Pix", en: "pix_key", width: 28 },
    { "pt-BR": "Descrição", en: "description", width: 28 },
    { "pt-BR": "end_to_end_id", en: "end_to_end_id", width: 38 },
    { "pt-BR": "Devolvido pelo banco", en: "returned_amount", width: 20 },
    { "pt-BR": "Debitado depois", en: "debited_amount", width: 17 },
    { "pt-BR": "Falha", en: "failure_reason", width: 28 },
  ],
  cells: (withdrawal, locale) => {
    const { id, status, created_at, completed_at, amount, fee, total, pix_key } = withdrawal
    const { description, end_to_end_id, returned_amount = 0, debited_amount = 0, failure_reason } = withdrawal
    return [
      ...[id, statusCell(status, locale), momentCell(created_at), momentCell(completed_at)],
      ...[amount, fee, total, pix_key.value, description, end_to_end_id],
      ...[returned_amount, debited_amount, failure_reason],
    ]
  },
  record: (withdrawal) => {
    const { id, status, created_at, completed_at, amount, fee, total, pix_key_id, pix_key } = withdrawal
    const { description, end_to_end_id, returned_amount = 0, debited_amount = 0, failure_reason } = withdrawal
    return {
      ...{ id, status, created_at, completed_at, amount, fee, total, pix_key_id },
      ...{ pix_key_type: pix_key.type, pix_key: pix_key.value, description, end_to_end_id },
      ...{ returned_amount, debited_amount, failure_reason },
    }
  },
}
