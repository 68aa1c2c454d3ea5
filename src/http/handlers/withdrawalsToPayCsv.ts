import type { WithdrawalToPay } from "../../../schema/api/manualPayouts.ts"
import { csvLine } from "../../../schema/csv.ts"
import { inReais } from "./inReais.ts"

const fields = [
  ...["id", "amount", "seller_id", "seller_name", "pix_key_type", "pix_key"],
  ...["holder_name", "holder_document", "description", "approved_at"],
]

/** Withdrawals to pay as CSV: commas between fields, a header, lines that end with CR LF (docs/contract/admin.md#withdrawals-to-pay). */
export const toPayCsv = (items: ReadonlyArray<WithdrawalToPay>): string =>
  [
    csvLine(fields),
    ...items.map(({ id, amount, seller_id, seller_name, pix_key, holder, description, approved_at }) =>
      csvLine([
        ...[id, inReais(amount), seller_id, seller_name, pix_key.type, pix_key.value],
        ...[holder.name, holder.document, description, approved_at],
      ]),
    ),
  ].join("")
