import { useState } from "preact/hooks"
import type { Refund } from "../../../../schema/resources/refund.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { api } from "../../api/http.ts"
import { type List, type Resource, useList, useResource } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import type { PageParams } from "../../app/routes.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/feedback.tsx"
import { Card, isReady, Page, Shown } from "../../ui/page.tsx"
import { Status } from "../../ui/values.tsx"
import { Amounts, Details } from "./chargeFacts.tsx"
import { ChargeDeliveries } from "./deliveries.tsx"
import { PayCard } from "./payCard.tsx"
import { ChargePostings } from "./postings.tsx"
import { RefundForm } from "./refundForm.tsx"
import { RefundTable } from "./refundTable.tsx"
import { isEventOf, leftOf } from "./rules.ts"
import { TestActs } from "./testActs.tsx"
import { Timeline } from "./timeline.tsx"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Cobrança",
    refund: "Devolver",
    refunded: "Devolução solicitada.",
    refunds: "Devoluções",
    json: "JSON desta cobrança",
  },
  en: {
    title: "Charge",
    refund: "Refund",
    refunded: "Refund requested.",
    refunds: "Refunds",
    json: "JSON of this charge",
  },
})

interface ContentProps {
  readonly charge: Transaction
  readonly resource: Resource<Transaction>
  readonly refunds: List<Refund>
}

const Content = ({ charge, resource, refunds }: ContentProps) => {
  const shownRefunds = refunds.value.value?.data ?? []
  const left = leftOf(charge, shownRefunds)
  return (
    <>
      <div class="charge-columns">
        <PayCard charge={charge} />
        <div class="charge-column">
          <Amounts charge={charge} />
          {mode.value === "test" && <TestActs charge={charge} left={left} onDone={resource.set} />}
          <Details charge={charge} />
        </div>
      </div>
      {shownRefunds.length > 0 && (
        <Card title={texts.value.refunds}>
          <RefundTable of={refunds} />
        </Card>
      )}
      <div class="charge-columns">
        <Timeline id={charge.id} />
        <ChargePostings id={charge.id} />
      </div>
      <ChargeDeliveries id={charge.id} />
      <Card>
        <details>
          <summary>{texts.value.json}</summary>
          <pre class="json">{JSON.stringify(charge, null, 2)}</pre>
        </details>
      </Card>
    </>
  )
}

/** One charge, live: how to pay it, its money, what happened to it, and what was told to the seller's systems. */
export default ({ params: { id = "" } }: PageParams) => {
  const [isRefunding, setRefunding] = useState(false)
  const reloadsOn = isEventOf(id)
  const charge = useResource(
    id,
    (signal) => api.get<Transaction>(`/v1/me/transactions/${encodeURIComponent(id)}`, {}, { signal }),
    { reloadsOn },
  )
  const refunds = useList<Refund>("/v1/me/refunds", { transaction_id: id, limit: 20 }, { reloadsOn })
  const shown = charge.value.value
  const left = shown === undefined ? 0 : leftOf(shown, refunds.value.value?.data ?? [])
  const close = () => setRefunding(false)
  return (
    <Page
      title={shown === undefined ? texts.value.title : `${texts.value.title} · ${formatMoney(shown.amount)}`}
      ready={isReady(charge)}
      actions={
        shown !== undefined && (
          <>
            <Status status={shown.status} testId="charge-status" />
            {shown.status === "paid" && left > 0 && (
              <Button onClick={() => setRefunding(true)}>{texts.value.refund}</Button>
            )}
          </>
        )
      }
    >
      <Shown of={charge}>{(value) => <Content charge={value} resource={charge} refunds={refunds} />}</Shown>
      {isRefunding && shown !== undefined && (
        <RefundForm
          charge={shown}
          left={left}
          onClose={close}
          onCreated={() => {
            close()
            notify(texts.value.refunded)
            void refunds.reload()
          }}
        />
      )}
    </Page>
  )
}
