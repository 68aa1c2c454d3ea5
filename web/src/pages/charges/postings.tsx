import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Shown } from "../../ui/page.tsx"
import { Moment } from "../../ui/values.tsx"
import { Postings } from "../money/postings.tsx"
import { kindText } from "../money/words.ts"
import { isEventOf, newestFirst } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { title: "Lançamentos contábeis", none: "Nenhum dinheiro se moveu por esta cobrança ainda." },
  en: { title: "Ledger postings", none: "This charge has not moved any money yet." },
})

/** The entries of a charge and of its refunds, newest first. */
const useEntries = (id: string): Resource<ReadonlyArray<LedgerEntry>> =>
  useResource(
    `ledger ${id}`,
    async (signal) => {
      const limit = formLimits.pageSizeMax
      const refunds = await call("GET /v1/me/refunds", { query: { transaction_id: id, limit }, signal })
      const ids = [id, ...refunds.data.map((refund) => refund.id)]
      const entries = await Promise.all(
        ids.map((resource_id) => call("GET /v1/me/ledger", { query: { resource_id, limit }, signal })),
      )
      const all = entries.flatMap(({ data }) => data)
      return newestFirst(all.filter((entry) => ids.includes(entry.resource_id)))
    },
    { reloadsOn: isEventOf(id) },
  )

/** Entries of the ledger, with what each moved. */
export const Entries = ({ of }: { readonly of: ReadonlyArray<LedgerEntry> }) =>
  of.length === 0 ? (
    <p class="muted">{texts.value.none}</p>
  ) : (
    <ol class="entries">
      {of.map((entry) => (
        <li key={entry.id}>
          <div class="entry-head">
            <strong>{kindText(entry.kind)}</strong>
            <small class="muted">
              <Moment at={entry.created_at} />
            </small>
          </div>
          <Postings of={entry.postings} />
        </li>
      ))}
    </ol>
  )

const Read = ({ id }: { readonly id: string }) => {
  const entries = useEntries(id)
  return <Shown of={entries}>{(data) => <Entries of={data} />}</Shown>
}

/** What a charge and its refunds moved in the seller's ledger, newest first; read once somebody opens it. */
export const ChargePostings = ({ id }: { readonly id: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card>
      <details
        class="fold"
        data-testid="postings"
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>{texts.value.title}</summary>
        {isOpen && <Read id={id} />}
      </details>
    </Card>
  )
}
