import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { localTimeOf } from "../../actors/values/saoPauloDays.ts"
import { formatDocument } from "../../schema/chargeTexts.ts"
import type { CsvLocale } from "../../schema/csv.ts"
import { type Feed, ledgerEntryIdOf, type Mode } from "../../schema/ids.ts"
import { ledgerWords } from "../../schema/ledgerWords.ts"
import type { EntryCharge } from "../../schema/resources/ledger.ts"
import type { ExportTable } from "./table.ts"

/** An entry that moves `available`, and the charge that it is of, where there is one. */
export interface Movement {
  readonly entry: StoredLedgerEntry
  readonly charge: EntryCharge | undefined
}

/** What an entry moved of `available`, in centavos; 0 where it left it as it was. */
export const gainOf = ({ postings }: StoredLedgerEntry): number =>
  postings.reduce((sum, { bucket, amount }) => (bucket === "available" ? sum + amount : sum), 0)

/** When an entry was written, by its seller's clock, in ms. */
export const shownMillisOf = ({ entryId, aheadMillis = 0 }: StoredLedgerEntry): number =>
  Number.parseInt(entryId, 10) + aheadMillis

/** Only a sale has gross, fee and net: a refund gives back what they say already. */
const saleOf = ({ entry, charge }: Movement): EntryCharge | undefined =>
  entry.kind === "charge_paid" ? charge : undefined

/** The statement of a seller and mode, with payers and orders (`docs/contract/statement.md#export`). */
export const statementTable = (feed: Feed): ExportTable<Movement> => ({
  sheet: { "pt-BR": "Extrato", en: "Statement" },
  columns: [
    { "pt-BR": "Data", en: "Date", width: 12 },
    { "pt-BR": "Hora", en: "Time", width: 10 },
    { "pt-BR": "O que houve", en: "What happened", width: 28 },
    { "pt-BR": "Pagador", en: "Payer", width: 28 },
    { "pt-BR": "CPF/CNPJ", en: "Document", width: 20 },
    { "pt-BR": "Pedido", en: "Reference", width: 18 },
    { "pt-BR": "txid", en: "txid", width: 38 },
    { "pt-BR": "end_to_end_id", en: "end_to_end_id", width: 38 },
    { "pt-BR": "Bruto", en: "Gross", width: 15 },
    { "pt-BR": "Tarifa", en: "Fee", width: 12 },
    { "pt-BR": "Líquido", en: "Net", width: 15 },
    { "pt-BR": "Entrada", en: "In", width: 15 },
    { "pt-BR": "Saída", en: "Out", width: 15 },
    { "pt-BR": "Saldo", en: "Balance", width: 17 },
  ],
  cells: (movement, locale) => {
    const { entry, charge } = movement
    const gain = gainOf(entry)
    const { day, time } = localTimeOf(shownMillisOf(entry))
    const sale = saleOf(movement)
    return [
      ...[{ day }, { time }, ledgerWords[locale][entry.kind], charge?.customer.name ?? null],
      charge === undefined ? null : formatDocument(charge.customer.document),
      ...[charge?.reference ?? null, charge?.txid ?? null, charge?.end_to_end_id ?? null],
      ...(sale === undefined ? [null, null, null] : [sale.amount, sale.fee, sale.net_amount]),
      ...[gain > 0 ? gain : null, gain < 0 ? -gain : null, entry.balance.available],
    ]
  },
  record: (movement, locale) => {
    const { entry, charge } = movement
    const gain = gainOf(entry)
    const { day: date, time } = localTimeOf(shownMillisOf(entry))
    const { kind, resourceId: resource_id } = entry
    const sale = saleOf(movement)
    return {
      ...{ date, time, entry_id: ledgerEntryIdOf(feed, entry.entryId), kind, resource_id },
      description: ledgerWords[locale][kind],
      payer: charge?.customer.name ?? null,
      document: charge?.customer.document ?? null,
      reference: charge?.reference ?? null,
      txid: charge?.txid ?? null,
      end_to_end_id: charge?.end_to_end_id ?? null,
      ...{ gross: sale?.amount ?? null, fee: sale?.fee ?? null, net: sale?.net_amount ?? null },
      ...{ credit: Math.max(gain, 0), debit: Math.max(-gain, 0), balance: entry.balance.available },
    }
  },
})

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

/** The name of an export's file, up to its ending: `extrato-loja-da-ana-2026-11-01-2026-11-30`. */
export const exportFile = (
  locale: CsvLocale,
  shop: string,
  mode: Mode,
  { from, to }: { readonly from: string; readonly to: string },
): string => {
  const words = fileWords[locale]
  const parts = [words.statement, slugOf(shop) || words.shop, ...(mode === "test" ? [words.test] : [])]
  return [...parts, from, to].join("-")
}
