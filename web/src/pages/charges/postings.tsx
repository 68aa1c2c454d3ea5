import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import { api, type Page as PageOf, type Query } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Shown } from "../../ui/page.tsx"
import { Moment } from "../../ui/values.tsx"
import { Postings } from "../money/postings.tsx"
import { kindText } from "../money/words.ts"
import { isEventOf, newestFirst } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { title: "Lançamentos", none: "Nenhum dinheiro se moveu por esta cobrança ainda." },
  en: { title: "Postings", none: "This charge has not moved any money yet." },
})

const pageMax = 100

/** The entries of a charge and of its refunds, newest first. */
const useEntries = (id: string): Resource<ReadonlyArray<LedgerEntry>> =>
  useResource(
    `ledger ${id}`,
    async (signal) => {
      const read = async <A,>(path: string, query: Query) =>
        (await api.get<PageOf<A>>(path, { ...query, limit: pageMax }, { signal })).data
      const refunds = await read<Refund>("/v1/me/refunds", { transaction_id: id })
      const ids = [id, ...refunds.map((refund) => refund.id)]
      const entries = await Promise.all(
        ids.map((resource_id) => read<LedgerEntry>("/v1/me/ledger", { resource_id })),
      )
      return newestFirst(entries.flat().filter((entry) => ids.includes(entry.resource_id)))
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

/** What a charge and its refunds moved in the seller's ledger, newest first. */
export const ChargePostings = ({ id }: { readonly id: string }) => {
  const entries = useEntries(id)
  return (
    <Card title={texts.value.title}>
      <Shown of={entries}>{(data) => <Entries of={data} />}</Shown>
    </Card>
  )
}
