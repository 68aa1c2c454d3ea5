import type { InboxRecord } from "../../../../schema/resources/inbox.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": { processed: "Processada", waiting: "Por processar", badSignature: "Assinatura inválida" },
  en: { processed: "Processed", waiting: "Unprocessed", badSignature: "Bad signature" },
})

/** What became of a notice, in words. */
export const NoticeState = ({ of: { signature_valid, processed_at } }: { readonly of: InboxRecord }) => {
  const { value } = texts
  if (!signature_valid) return <span class="status bad">{value.badSignature}</span>
  return processed_at === null ? (
    <span class="status waiting">{value.waiting}</span>
  ) : (
    <span class="status good">{value.processed}</span>
  )
}
