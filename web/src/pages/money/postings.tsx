import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import { formatMoney } from "../../text/format.ts"
import { bucketText } from "./words.ts"
import "../../styles/money.css"

/** What each bucket gained or lost by an entry, with its sign. */
export const Postings = ({ of }: { readonly of: LedgerEntry["postings"] }) => (
  <ul class="postings">
    {of.map(({ bucket, amount }) => (
      <li key={bucket}>
        <span class="muted">{bucketText(bucket)}</span>{" "}
        <span class="money" data-bucket={bucket} data-amount={amount}>
          {amount > 0 ? "+" : ""}
          {formatMoney(amount)}
        </span>
      </li>
    ))}
  </ul>
)
