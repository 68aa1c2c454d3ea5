import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { localTimeOf } from "../../../actors/values/saoPauloDays.ts"
import { formatDocument } from "../../../schema/chargeTexts.ts"
import { type CsvLocale, localCsvDay, localCsvHeader, localCsvLine } from "../../../schema/csv.ts"
import type { Mode } from "../../../schema/ids.ts"
import { ledgerWords } from "../../../schema/ledgerWords.ts"
import type { EntryCharge } from "../../../schema/resources/ledger.ts"
import { gainOf, shownMillisOf } from "./statementRows.ts"

const headers: Readonly<Record<CsvLocale, ReadonlyArray<string>>> = {
  "pt-BR": [
    ...["Data", "Hora", "O que houve", "Pagador", "CPF/CNPJ", "Pedido", "txid", "end_to_end_id"],
    ...["Bruto", "Tarifa", "Líquido", "Entrada", "Saída", "Saldo"],
  ],
  en: [
    ...["Date", "Time", "What happened", "Payer", "Document", "Reference", "txid", "end_to_end_id"],
    ...["Gross", "Fee", "Net", "In", "Out", "Balance"],
  ],
}

/** The beginning of an export: a mark that it is UTF-8, and the columns' names. */
export const exportHeader = (locale: CsvLocale): string => localCsvHeader(headers[locale], locale)

/**
 * The line of an entry in an export (`docs/contract/statement.md#export`); empty for one that does not move `available`. Only a sale
 * has gross, fee and net: a refund gives back what they say already.
 */
export const exportRow = (
  entry: StoredLedgerEntry,
  charge: EntryCharge | undefined,
  locale: CsvLocale,
): string => {
  const gain = gainOf(entry)
  if (gain === 0) return ""
  const { day, time } = localTimeOf(shownMillisOf(entry))
  const isSale = entry.kind === "charge_paid" && charge !== undefined
  return localCsvLine(
    [
      ...[localCsvDay(day, locale), time, ledgerWords[locale][entry.kind]],
      ...[
        charge?.customer.name ?? null,
        charge === undefined ? null : formatDocument(charge.customer.document),
        charge?.reference ?? null,
      ],
      ...[charge?.txid ?? null, charge?.end_to_end_id ?? null],
      ...(isSale ? [charge.amount, charge.fee, charge.net_amount] : [null, null, null]),
      ...[gain > 0 ? gain : null, gain < 0 ? -gain : null, entry.balance.available],
    ],
    locale,
  )
}

const slugLengthMax = 40

/** A shop's name as a part of a file's name: letters and digits of ASCII, and hyphens between. */
const slugOf = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replace(/^-+|-+$/g, "")

const fileWords = {
  "pt-BR": { statement: "extrato", shop: "loja", test: "teste" },
  en: { statement: "statement", shop: "shop", test: "test" },
} as const

/** The name of an export's file: `extrato-loja-da-ana-2026-11-01-2026-11-30.csv`. */
export const exportFile = (
  locale: CsvLocale,
  shop: string,
  mode: Mode,
  { from, to }: { readonly from: string; readonly to: string },
): string => {
  const words = fileWords[locale]
  const parts = [words.statement, slugOf(shop) || words.shop, ...(mode === "test" ? [words.test] : [])]
  return `${[...parts, from, to].join("-")}.csv`
}
