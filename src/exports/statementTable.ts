import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { localTimeOf } from "../../actors/values/saoPauloDays.ts"
import { formatDocument } from "../../schema/chargeTexts.ts"
import type { CsvLocale } from "../../schema/csv.ts"
import { type Feed, ledgerEntryIdOf, type Mode } from "../../schema/ids.ts"
import { ledgerWords } from "../../schema/ledgerWords.ts"
import type { Bucket, LedgerKind } from "../../schema/names.ts"
import type { EntryCharge, EntryWithdrawal } from "../../schema/resources/ledger.ts"
import { fileModes } from "./fileWords.ts"
import type { ExportTable } from "./table.ts"

/** An entry that moves `available`, and the charge or the withdrawal that it is of, where there is one. */
export interface Movement {
  readonly entry: StoredLedgerEntry
  readonly charge: EntryCharge | undefined
  readonly withdrawal: EntryWithdrawal | undefined
}

const movedOf = ({ postings }: StoredLedgerEntry, wanted: Bucket): number =>
  postings.reduce((sum, { bucket, amount }) => (bucket === wanted ? sum + amount : sum), 0)

/** What an entry moved of `available`, in centavos; 0 where it left it as it was. */
export const gainOf = (entry: StoredLedgerEntry): number => movedOf(entry, "available")

/** When an entry was written, by its seller's clock, in ms. */
export const shownMillisOf = ({ entryId, aheadMillis = 0 }: StoredLedgerEntry): number =>
  Number.parseInt(entryId, 10) + aheadMillis

interface Parts {
  /** The Pix as banks show it, below zero where it went out. */
  readonly gross: number
  /** What we took of it, below zero where we gave it back: a column of them adds up to the fees paid. */
  readonly fee: number
}

const saleParts = ({ charge }: Movement): Parts | undefined =>
  charge && { gross: charge.amount, fee: charge.fee }

const withdrawalParts =
  (sign: 1 | -1) =>
  ({ withdrawal }: Movement): Parts | undefined =>
    withdrawal && { gross: sign * withdrawal.amount, fee: -sign * withdrawal.fee }

/** The bank paid or sent back more or less than the withdrawal says: the entry knows how much. */
const correctionParts = ({ entry }: Movement): Parts => ({
  gross: -movedOf(entry, "external"),
  fee: movedOf(entry, "fees"),
})

/** Kinds of entries that have a Pix of their own. A refund gives back what its sale says already. */
const partsByKind: Readonly<Partial<Record<LedgerKind, (movement: Movement) => Parts | undefined>>> = {
  charge_paid: saleParts,
  withdrawal_held: withdrawalParts(-1),
  withdrawal_returned: withdrawalParts(1),
  payout_debited: correctionParts,
  payout_returned: correctionParts,
}

const none = { gross: null, fee: null, net: null }

const sumsOf = (movement: Movement) => {
  const parts = partsByKind[movement.entry.kind]?.(movement)
  return parts === undefined ? none : { ...parts, net: parts.gross - parts.fee }
}

/** The Pix by which a bank's statement knows a movement; null where there was none. */
const pixIdOf = ({ charge, withdrawal }: Movement): string | null =>
  (charge ?? withdrawal)?.end_to_end_id ?? null

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
    const { gross, fee, net } = sumsOf(movement)
    return [
      ...[{ day }, { time }, ledgerWords[locale][entry.kind], charge?.customer.name ?? null],
      charge === undefined ? null : formatDocument(charge.customer.document),
      ...[charge?.reference ?? null, charge?.txid ?? null, pixIdOf(movement), gross, fee, net],
      ...[gain > 0 ? gain : null, gain < 0 ? -gain : null, entry.balance.available],
    ]
  },
  record: (movement, locale) => {
    const { entry, charge } = movement
    const gain = gainOf(entry)
    const { day: date, time } = localTimeOf(shownMillisOf(entry))
    const { kind, resourceId: resource_id } = entry
    return {
      ...{ date, time, entry_id: ledgerEntryIdOf(feed, entry.entryId), kind, resource_id },
      description: ledgerWords[locale][kind],
      payer: charge?.customer.name ?? null,
      document: charge?.customer.document ?? null,
      reference: charge?.reference ?? null,
      txid: charge?.txid ?? null,
      end_to_end_id: pixIdOf(movement),
      ...sumsOf(movement),
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
  "pt-BR": { statement: "extrato", shop: "loja" },
  en: { statement: "statement", shop: "shop" },
} as const

/** The name of an export's file, up to its ending: `extrato-loja-da-ana-producao-2026-11-01-2026-11-30`. */
export const exportFile = (
  locale: CsvLocale,
  shop: string,
  mode: Mode,
  { from, to }: { readonly from: string; readonly to: string },
): string => {
  const words = fileWords[locale]
  return [words.statement, slugOf(shop) || words.shop, fileModes[locale][mode], from, to].join("-")
}
