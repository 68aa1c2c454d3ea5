import type { WithdrawalToPay } from "../../../schema/api/manualPayouts.ts"
import { inReais } from "./inReais.ts"

const fields = [
  ...["id", "amount", "seller_id", "seller_name", "pix_key_type", "pix_key"],
  ...["holder_name", "holder_document", "description", "approved_at"],
]

/**
 * A field of CSV (RFC 4180). Spreadsheets run what begins with one of `= + - @`, a tab or a carriage return, also after spaces: an
 * apostrophe before it makes it text.
 */
const field = (text: string): string => {
  const safe = /^[\s\uFEFF]*[=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const line = (values: ReadonlyArray<string | null>): string =>
  `${values.map((value) => field(value ?? "")).join(",")}\r\n`

/** Withdrawals to pay as CSV: commas between fields, a header, lines that end with CR LF (docs/contract/admin.md#withdrawals-to-pay). */
export const toPayCsv = (items: ReadonlyArray<WithdrawalToPay>): string =>
  [
    line(fields),
    ...items.map(({ id, amount, seller_id, seller_name, pix_key, holder, description, approved_at }) =>
      line([
        ...[id, inReais(amount), seller_id, seller_name, pix_key.type, pix_key.value],
        ...[holder.name, holder.document, description, approved_at],
      ]),
    ),
  ].join("")
