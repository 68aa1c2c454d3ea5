import { eventName } from "../text/eventNames.ts"
import { textsOf } from "../text/i18n.ts"
import { Code, Foreign, Moment, Money, Status } from "../ui/values.tsx"
import type { Hit } from "./searchHits.ts"

const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    transaction: "Cobrança",
    withdrawal: "Saque",
    refund: "Devolução",
    webhook_endpoint: "Endpoint",
    webhook_delivery: "Entrega",
    event: "Evento",
    ledger_entry: "Lançamento",
    pix_key: "Chave PIX",
    api_key: "Chave de API",
  },
  en: {
    transaction: "Charge",
    withdrawal: "Withdrawal",
    refund: "Refund",
    webhook_endpoint: "Endpoint",
    webhook_delivery: "Delivery",
    event: "Event",
    ledger_entry: "Ledger entry",
    pix_key: "PIX key",
    api_key: "API key",
  },
})

const textField = (hit: Hit, name: string): string | undefined => {
  const value = hit[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** What a result is, in words: its kind, amount and status, when it was created, and its id. */
export const HitText = ({ of }: { readonly of: Hit }) => {
  const { amount } = of
  const status = textField(of, "status")
  const type = textField(of, "type")
  const at = textField(of, "created_at")
  const url = textField(of, "url")
  return (
    <span class="hit">
      <span class="hit-head">
        <strong>{texts.value[of.object] ?? of.object}</strong>
        {typeof amount === "number" && <Money amount={amount} />}
        {status !== undefined && <Status status={status} />}
        {type !== undefined && <span>{eventName(type)}</span>}
        {url !== undefined && <Foreign>{url}</Foreign>}
      </span>
      <small class="muted">
        <Code>{of.id}</Code>
        {at !== undefined && (
          <>
            {" · "}
            <Moment at={at} />
          </>
        )}
      </small>
    </span>
  )
}
