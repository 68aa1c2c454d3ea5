import { eventName } from "../text/eventNames.ts"
import { textIn, textsOf } from "../text/i18n.ts"
import { Code, Moment, Money, Status } from "../ui/values.tsx"
import type { Hit } from "./resourceLinks.ts"

const texts = textsOf<Readonly<Record<Hit["object"], string>>>({
  "pt-BR": {
    transaction: "Cobrança",
    customer: "Cliente",
    withdrawal: "Saque",
    refund: "Devolução",
    webhook_endpoint: "Endpoint",
    webhook_delivery: "Entrega",
    event: "Evento",
    pix_key: "Chave Pix",
    seller: "Vendedor",
    exception: "Exceção",
  },
  en: {
    transaction: "Charge",
    customer: "Customer",
    withdrawal: "Withdrawal",
    refund: "Refund",
    webhook_endpoint: "Endpoint",
    webhook_delivery: "Delivery",
    event: "Event",
    pix_key: "Pix key",
    seller: "Seller",
    exception: "Exception",
  },
})

const matches = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": { txid: "pelo txid", end_to_end_id: "pelo end-to-end id", email: "pelo e-mail de quem paga" },
  en: { txid: "by txid", end_to_end_id: "by end-to-end id", email: "by the payer's e-mail address" },
})

/** What a result is, in words: its kind, amount and status, by what it was found or who pays, when it was created, and its id. */
export const HitText = ({ of }: { readonly of: Hit }) => {
  const { object, id, matched, payer, seller_name, status, amount, created_at } = of
  const match = matched === undefined ? (payer ?? seller_name) : matches.value[matched]
  return (
    <span class="hit">
      <span class="hit-head">
        <strong>{textIn(texts.value, object)}</strong>
        {amount !== null && <Money amount={amount} />}
        {status !== null &&
          (object === "event" ? <span>{eventName(status)}</span> : <Status status={status} />)}
        {match != null && <span class="muted">{match}</span>}
      </span>
      <small class="muted">
        <Code>{id}</Code>
        {created_at !== null && (
          <>
            {" · "}
            <Moment at={created_at} />
          </>
        )}
      </small>
    </span>
  )
}
