import type { OperatorTransaction } from "../../../../schema/api/operatorTransactions.ts"
import { failureOf, useRead } from "../../api/resource.ts"
import type { PageParams } from "../../app/router.tsx"
import { failureText } from "../../text/failures.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, FirstRead, isReady, Page, Shown } from "../../ui/page.tsx"
import { Foreign, Status } from "../../ui/values.tsx"
import { Amounts, ChargeExceptions, Customer, Identifiers, Order } from "../charges/chargeFacts.tsx"
import { ChargeHeading, ChargeLead } from "../charges/chargeHead.tsx"
import { chargeSteps } from "../charges/chargeSteps.ts"
import { Entries } from "../charges/postings.tsx"
import { leftOf } from "../charges/rules.ts"
import { Steps } from "../charges/timeline.tsx"
import { useAct } from "./acts.tsx"
import { SellerLink } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"
import "../../styles/charges.css"

const RefundRows = lazily(
  () => import("../charges/refundTable.tsx").then((part) => part.RefundRows),
  FirstRead,
)

const texts = textsOf({
  "pt-BR": {
    title: "Cobrança",
    refund: "Devolver",
    seller: "Vendedor",
    name: "Nome",
    document: "Documento",
    status: "Situação",
    kyc: "Cadastro",
    mode: "Modo",
    live: "Produção",
    test: "Teste",
    id: "Id",
    refunds: "Devoluções",
    timeline: "Linha do tempo",
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

const Whole = ({ of: charge }: { readonly of: OperatorTransaction }) => (
  <div class="main-columns">
    <div class="main-column">
      <ChargeExceptions charge={charge} />
      <Card title={texts.value.timeline}>
        <Steps of={chargeSteps(charge, charge.all_refunds, charge.timeline)} />
      </Card>
      {charge.all_refunds.length > 0 && (
        <Card title={texts.value.refunds}>
          <RefundRows of={charge.all_refunds} isForOperator />
        </Card>
      )}
      <Card title={texts.value.postings}>
        <Entries of={charge.ledger_entries} />
      </Card>
    </div>
    <div class="main-column">
      <Seller of={charge} />
      <Customer charge={charge} />
      <Amounts charge={charge} />
      <Order charge={charge} />
      <Identifiers charge={charge} />
    </div>
  </div>
)

/** A charge of any seller, for operators: whose it is, what it moved, what happened to it, and its refund. */
export default ({ params: { id = "" } }: PageParams) => {
  const charge = useRead("GET /v1/admin/transactions/:id", { params: { id } })
  useRefreshing(charge)
  const { ask, dialog } = useAct(charge.reload)
  const shown = charge.value.value
  const left = shown === undefined ? 0 : leftOf(shown, shown.all_refunds)
  /** Few who look at a charge refund it: what does is loaded then. */
  const askRefund = async (of: OperatorTransaction) => {
    try {
      ask((await import("./operatorRefund.tsx")).refundAct(of))
    } catch (cause) {
      notify(failureText(failureOf(cause)))
    }
  }
  return (
    <Page
      title={shown === undefined ? texts.value.title : `${texts.value.title} · ${formatMoney(shown.amount)}`}
      heading={shown && <ChargeHeading charge={shown} />}
      lead={shown && <ChargeLead charge={shown} />}
      ready={isReady(charge)}
      actions={
        shown?.status === "paid" &&
        left > 0 && (
          <Button data-testid="refund" onClick={() => askRefund(shown)}>
            {texts.value.refund}
          </Button>
        )
      }
    >
      <Shown of={charge}>{(found) => <Whole of={found} />}</Shown>
      {dialog}
    </Page>
  )
}
