import { formatDocument, orderOf } from "../../schema/chargeTexts.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { momentCell, statusCell } from "./cells.ts"
import type { ExportTable } from "./table.ts"

/** A charge of a file, its document opened. */
export interface ExportedCharge {
  readonly charge: Transaction
  readonly document: string
}

/** What a charge brought: nothing before it is paid, so that columns add up to the totals of the list. */
const sumsOf = ({ paid_at, amount, fee: charged, refunded_amount: refunded }: Transaction) => {
  const [gross, fee] = paid_at === null ? [0, 0] : [amount, charged]
  return { amount, gross, fee, refunded, net: gross - fee - refunded }
}

/**
 * Files of charges (`docs/contract/exports.md#charges`). In sheets documents have their punctuation, because a spreadsheet takes bare
 * digits of CSV for a number and drops leading zeros.
 */
export const chargeTable: ExportTable<ExportedCharge> = {
  sheet: { "pt-BR": "Cobranças", en: "Charges" },
  columns: [
    { "pt-BR": "Cobrança", en: "id", width: 33 },
    { "pt-BR": "Situação", en: "status", width: 12 },
    { "pt-BR": "Criada em", en: "created_at", width: 20 },
    { "pt-BR": "Paga em", en: "paid_at", width: 20 },
    { "pt-BR": "Pagador", en: "payer", width: 28 },
    { "pt-BR": "Documento", en: "document", width: 20 },
    { "pt-BR": "E-mail", en: "email", width: 28 },
    { "pt-BR": "Pedido", en: "reference", width: 18 },
    { "pt-BR": "txid", en: "txid", width: 38 },
    { "pt-BR": "end_to_end_id", en: "end_to_end_id", width: 38 },
    { "pt-BR": "Valor", en: "amount", width: 15 },
    { "pt-BR": "Bruto", en: "gross", width: 15 },
    { "pt-BR": "Tarifa", en: "fee", width: 12 },
    { "pt-BR": "Devolvido e contestado", en: "refunded", width: 22 },
    { "pt-BR": "Líquido", en: "net", width: 15 },
  ],
  cells: ({ charge, document }, locale) => {
    const { customer, pix } = charge
    const { amount, gross, fee, refunded, net } = sumsOf(charge)
    return [
      ...[
        charge.id,
        statusCell(charge.status, locale),
        momentCell(charge.created_at),
        momentCell(charge.paid_at),
      ],
      ...[customer.name, formatDocument(document), customer.email, orderOf(charge)],
      ...[pix.txid, charge.end_to_end_id, amount, gross, fee, refunded, net],
    ]
  },
  record: ({ charge, document }) => {
    const { id, status, created_at, paid_at, customer, pix, end_to_end_id } = charge
    const { name: payer, email } = customer
    const reference = orderOf(charge) || null
    return {
      ...{
        id,
        status,
        created_at,
        paid_at,
        payer,
        document,
        email,
        reference,
        txid: pix.txid,
        end_to_end_id,
      },
      ...sumsOf(charge),
    }
  },
}
