import type { OperatorTransaction } from "../../../../schema/api/operatorTransactions.ts"
import { api } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import type { PageParams } from "../../app/routes.ts"
import { eventName } from "../../text/eventNames.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusTone } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Foreign, Moment, Status } from "../../ui/values.tsx"
import { Amounts, Details } from "../charges/chargeFacts.tsx"
import { Entries } from "../charges/postings.tsx"
import { RefundRows } from "../charges/refundTable.tsx"
import { leftOf } from "../charges/rules.ts"
import { useAct } from "./acts.tsx"
import { refundAct } from "./operatorRefund.tsx"
import { SellerLink } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Cobrança",
    refund: "Devolver",
    seller: "Vendedor",
    name: "Nome",
    document: "Documento",
    status: "Status",
    kyc: "Cadastro",
    mode: "Modo",
    live: "Produção",
    test: "Teste",
    id: "Id",
    refunds: "Devoluções",
    timeline: "Linha do tempo",
    noEvents: "Os eventos desta cobrança não são mais guardados.",
    postings: "Lançamentos",
  },
  en: {
    title: "Charge",
    refund: "Refund",
    seller: "Seller",
    name: "Name",
    document: "Document",
    status: "Status",
    kyc: "Identification",
    mode: "Mode",
    live: "Live",
    test: "Test",
    id: "Id",
    refunds: "Refunds",
    timeline: "Timeline",
    noEvents: "The events of this charge are no longer kept.",
    postings: "Postings",
  },
})

const Seller = ({ of: { seller, seller_id, mode } }: { readonly of: OperatorTransaction }) => {
  const { value } = texts
  return (
    <Card title={value.seller}>
      <Facts
        of={[
          [value.name, seller && <Foreign>{seller.name}</Foreign>],
          [value.document, seller?.document],
          [value.status, seller && <Status status={seller.status} />],
          [value.kyc, seller && <Status status={seller.kyc_status} />],
          [value.mode, value[mode]],
          [value.id, <SellerLink key="id" id={seller_id} />],
        ]}
      />
    </Card>
  )
}

const Timeline = ({ of: { timeline } }: { readonly of: OperatorTransaction }) => (
  <Card title={texts.value.timeline}>
    {timeline.length === 0 && <p class="muted">{texts.value.noEvents}</p>}
    <ol class="timeline">
      {timeline.map(({ id, type, created_at }) => (
        <li key={id} data-type={type} data-tone={statusTone(type.split(".")[1] ?? "")}>
          <span>{eventName(type)}</span>
          <small class="muted">
            <Moment at={created_at} />
          </small>
        </li>
      ))}
    </ol>
  </Card>
)

const Whole = ({ of: charge }: { readonly of: OperatorTransaction }) => (
  <>
    <div class="charge-columns">
      <div class="charge-column">
        <Seller of={charge} />
        <Amounts charge={charge} />
      </div>
      <Details charge={charge} />
    </div>
    {charge.all_refunds.length > 0 && (
      <Card title={texts.value.refunds}>
        <RefundRows of={charge.all_refunds} isForOperator />
      </Card>
    )}
    <div class="charge-columns">
      <Timeline of={charge} />
      <Card title={texts.value.postings}>
        <Entries of={charge.ledger_entries} />
      </Card>
    </div>
  </>
)

/** A charge of any seller, for operators: whose it is, what it moved, what happened to it, and its refund. */
export default ({ params: { id = "" } }: PageParams) => {
  const charge = useResource(`charge ${id}`, (_signal, options) =>
    api.get<OperatorTransaction>(`/v1/admin/transactions/${encodeURIComponent(id)}`, {}, options),
  )
  useRefreshing(charge)
  const { ask, dialog } = useAct(charge.reload)
  const shown = charge.value.value
  const left = shown === undefined ? 0 : leftOf(shown, shown.all_refunds)
  return (
    <Page
      title={shown === undefined ? texts.value.title : `${texts.value.title} · ${formatMoney(shown.amount)}`}
      ready={isReady(charge)}
      actions={
        shown !== undefined && (
          <>
            <Status status={shown.status} testId="charge-status" />
            {shown.status === "paid" && left > 0 && (
              <Button data-testid="refund" onClick={() => ask(refundAct(shown))}>
                {texts.value.refund}
              </Button>
            )}
          </>
        )
      }
    >
      <Shown of={charge}>{(found) => <Whole of={found} />}</Shown>
      {dialog}
    </Page>
  )
}
