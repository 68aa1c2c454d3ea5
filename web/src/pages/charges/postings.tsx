import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import { useList } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, More, Shown } from "../../ui/page.tsx"
import { Moment } from "../../ui/values.tsx"
import { Postings } from "../money/postings.tsx"
import { kindText } from "../money/words.ts"
import { isEventOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { title: "Lançamentos", none: "Nenhum dinheiro se moveu por esta cobrança ainda." },
  en: { title: "Postings", none: "This charge has not moved any money yet." },
})

/** What a charge and its refunds moved in the seller's ledger, newest first. */
export const ChargePostings = ({ id }: { readonly id: string }) => {
  const entries = useList<LedgerEntry>(
    "/v1/me/ledger",
    { transaction_id: id, limit: 20 },
    { reloadsOn: isEventOf(id) },
  )
  return (
    <Card title={texts.value.title}>
      <Shown of={entries}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{texts.value.none}</p>
          ) : (
            <ol class="entries">
              {data.map((entry) => (
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
        }
      </Shown>
      <More of={entries} />
    </Card>
  )
}
