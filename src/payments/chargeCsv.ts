import { localTimeOf } from "../../actors/values/saoPauloDays.ts"
import { formatDocument, orderOf } from "../../schema/chargeTexts.ts"
import { type CsvLocale, localCsvDay, localCsvHeader, localCsvLine } from "../../schema/csv.ts"
import type { Transaction, TransactionStatus } from "../../schema/resources/transaction.ts"

interface Dialect {
  readonly names: ReadonlyArray<string>
  readonly statuses: Readonly<Record<TransactionStatus, string>>
}

const dialects: Readonly<Record<CsvLocale, Dialect>> = {
  "pt-BR": {
    names: [
      ...["Cobrança", "Situação", "Criada em", "Paga em", "Pagador", "Documento", "E-mail", "Pedido"],
      ...["txid", "end_to_end_id", "Valor", "Bruto", "Tarifa", "Devolvido", "Líquido"],
    ],
    statuses: {
      pending: "Pendente",
      paid: "Paga",
      expired: "Expirada",
      failed: "Falhou",
      refunded: "Devolvida",
      chargeback: "Contestada",
    },
  },
  en: {
    names: [
      ...["id", "status", "created_at", "paid_at", "payer", "document", "email", "reference"],
      ...["txid", "end_to_end_id", "amount", "gross", "fee", "refunded", "net"],
    ],
    statuses: {
      pending: "pending",
      paid: "paid",
      expired: "expired",
      failed: "failed",
      refunded: "refunded",
      chargeback: "chargeback",
    },
  },
}

/** The first line of a file of charges. */
export const chargeCsvHeader = (locale: CsvLocale): string => localCsvHeader(dialects[locale].names, locale)

/**
 * The line of a charge, its document opened; with its punctuation, because a spreadsheet takes bare digits for a number and drops
 * leading zeros. What it brought, `gross`, `fee` and `net`, is 0 before it is paid, so that columns add up
 * to the totals of the list.
 */
export const chargeCsvLine = (charge: Transaction, document: string, locale: CsvLocale): string => {
  const { statuses } = dialects[locale]
  const moment = (at: string | null) => {
    if (at === null) return ""
    const { day, time } = localTimeOf(Date.parse(at))
    return `${localCsvDay(day, locale)} ${time}`
  }
  const { customer, pix, amount, refunded_amount: refunded } = charge
  const [gross, fee] = charge.paid_at === null ? [0, 0] : [amount, charge.fee]
  const texts = [
    ...[charge.id, statuses[charge.status], moment(charge.created_at), moment(charge.paid_at)],
    ...[customer.name, formatDocument(document), customer.email, orderOf(charge)],
    ...[pix.txid, charge.end_to_end_id ?? ""],
  ]
  const amounts = [amount, gross, fee, refunded, gross - fee - refunded]
  return localCsvLine([...texts, ...amounts], locale)
}
