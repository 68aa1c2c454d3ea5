import { formatDocument } from "../../schema/chargeTexts.ts"
import type { EntryCharge } from "../../schema/resources/ledger.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import { momentCell, statusCell } from "./cells.ts"
import type { ExportTable } from "./table.ts"

/** A refund of a file, with its charge; test mode may have forgotten that. */
export interface ExportedRefund {
  readonly refund: Refund
  readonly charge: EntryCharge | undefined
}

/** Files of refunds (`docs/contract/exports.md#refunds`). */
export const refundTable: ExportTable<ExportedRefund> = {
  sheet: { "pt-BR": "Devoluções", en: "Refunds" },
  columns: [
    { "pt-BR": "Devolução", en: "id", width: 33 },
    { "pt-BR": "Situação", en: "status", width: 12 },
    { "pt-BR": "Pedida em", en: "created_at", width: 20 },
    { "pt-BR": "Concluída em", en: "completed_at", width: 20 },
    { "pt-BR": "Valor", en: "amount", width: 15 },
    { "pt-BR": "Motivo", en: "reason", width: 28 },
    { "pt-BR": "Cobrança", en: "transaction_id", width: 33 },
    { "pt-BR": "Pagador", en: "payer", width: 28 },
    { "pt-BR": "CPF/CNPJ", en: "document", width: 20 },
    { "pt-BR": "Pedido", en: "reference", width: 18 },
    { "pt-BR": "end_to_end_id", en: "end_to_end_id", width: 38 },
    { "pt-BR": "Id da devolução", en: "return_id", width: 38 },
    { "pt-BR": "Falha", en: "failure_reason", width: 28 },
  ],
  cells: ({ refund, charge }, locale) => [
    ...[refund.id, statusCell(refund.status, locale)],
    ...[momentCell(refund.created_at), momentCell(refund.completed_at)],
    ...[refund.amount, refund.reason, refund.transaction_id, charge?.customer.name ?? null],
    charge === undefined ? null : formatDocument(charge.customer.document),
    ...[charge?.reference ?? null, charge?.end_to_end_id ?? null, refund.return_id, refund.failure_reason],
  ],
  record: ({ refund, charge }) => {
    const { id, status, created_at, completed_at, amount, reason, origin, transaction_id } = refund
    const { return_id, failure_code, failure_reason } = refund
    return {
      ...{ id, status, created_at, completed_at, amount, reason, origin, transaction_id },
      payer: charge?.customer.name ?? null,
      document: charge?.customer.document ?? null,
      reference: charge?.reference ?? null,
      end_to_end_id: charge?.end_to_end_id ?? null,
      ...{ return_id, failure_code, failure_reason },
    }
  },
}
