import { useState } from "preact/hooks"
import type { Refund } from "../../../../schema/resources/refund.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { chargeOf } from "../../api/live.ts"
import { type List, type Resource, useList, useRead } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import type { PageParams } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Icon } from "../../ui/icons.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { Menu } from "../../ui/menu.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, FirstRead, isReady, Page, Shown } from "../../ui/page.tsx"
import { ReceiptButton } from "../../ui/receiptButton.tsx"
import { Copy, copyText } from "../../ui/values.tsx"
import { Amounts, ChargeExceptions, Customer, Identifiers, Order } from "./chargeFacts.tsx"
import { ChargeHeading, ChargeLead } from "./chargeHead.tsx"
import { PayCard } from "./payCard.tsx"
import { ChargePostings } from "./postings.tsx"
import { isEventOf, leftOf } from "./rules.ts"
import { TestActs } from "./testActs.tsx"
import { Timeline } from "./timeline.tsx"
import "../../styles/charges.css"

const RefundTable = lazily(() => import("./refundTable.tsx").then((part) => part.RefundTable), FirstRead)
const RefundForm = lazily(() => import("./refundForm.tsx").then((part) => part.RefundForm))
const ChargeNotes = lazily(() => import("./notes.tsx").then((part) => part.ChargeNotes), FirstRead)

const texts = textsOf({
  "pt-BR": {
    title: "Cobrança",
    charges: "Cobranças",
    refund: "Devolver",
    refunded: "Devolução solicitada.",
    refunds: "Devoluções",
    copyLink: "Copiar link",
    linkCopied: "Link copiado.",
    copyId: "Copiar id",
    idCopied: "Id copiado.",
    seeJson: "Ver JSON",
    json: "JSON desta cobrança",
  },
  en: {
    title: "Charge",
    charges: "Charges",
    refund: "Refund",
    refunded: "Refund requested.",
    refunds: "Refunds",
    copyLink: "Copy link",
    linkCopied: "Link copied.",
    copyId: "Copy id",
    idCopied: "Id copied.",
    seeJson: "See JSON",
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
    <div class="main-columns">
      <div class="main-column">
        {mode.value === "test" && <TestActs charge={charge} left={left} onDone={resource.set} />}
        {charge.status === "pending" && <PayCard charge={charge} />}
        <ChargeExceptions charge={charge} />
        <Timeline charge={charge} refunds={shownRefunds} />
        {shownRefunds.length > 0 && (
          <Card title={texts.value.refunds}>
            <div class="charge-refunds">
              <RefundTable of={refunds} payerEmail={charge.customer.email} />
            </div>
          </Card>
        )}
        {charge.paid_at !== null && <ChargePostings id={charge.id} />}
      </div>
      <div class="main-column">
        <Customer charge={charge} />
        <Amounts charge={charge} />
        <Order charge={charge} />
        <Identifiers charge={charge} />
        <ChargeNotes id={charge.id} />
      </div>
    </div>
  )
}

const Json = ({ of, onClose }: { readonly of: Transaction; readonly onClose: () => void }) => {
  const json = JSON.stringify(of, null, 2)
  return (
    <Dialog title={texts.value.json} onClose={onClose}>
      <Copy text={json} />
      <pre class="json">{json}</pre>
    </Dialog>
  )
}

const copied = async (text: string, notice: string): Promise<void> => {
  await copyText(text)
  notify(notice)
}

interface ActsProps {
  readonly charge: Transaction
  readonly isRefundable: boolean
  readonly onRefund: () => void
}

const Acts = ({ charge, isRefundable, onRefund }: ActsProps) => {
  const [isJsonShown, setJsonShown] = useState(false)
  const { value } = texts
  return (
    <>
      {isRefundable && (
        <Button needs="refunding" onClick={onRefund}>
          <Icon name="refund" /> {value.refund}
        </Button>
      )}
      {charge.paid_at !== null && (
        <ReceiptButton
          kind="transactions"
          id={charge.id}
          url={`${charge.payment_url}/receipt`}
          email={charge.customer.email}
        />
      )}
      <Menu
        entries={[
          {
            name: value.copyLink,
            icon: <Icon name="link" />,
            onClick: () => copied(charge.payment_url, value.linkCopied),
          },
          {
            name: value.copyId,
            icon: <Icon name="copy" />,
            onClick: () => copied(charge.id, value.idCopied),
          },
          { name: value.seeJson, icon: <Icon name="list" />, onClick: () => setJsonShown(true) },
        ]}
      />
      {isJsonShown && <Json of={charge} onClose={() => setJsonShown(false)} />}
    </>
  )
}

/** One charge, live: its money and its payer, what happened to it, and what the seller's systems were told. */
export default ({ params: { id = "" } }: PageParams) => {
  const [isRefunding, setRefunding] = useState(false)
  const reloadsOn = isEventOf(id)
  const charge = useRead(
    "GET /v1/me/transactions/:id",
    { params: { id } },
    { reloadsOn, applies: (_shown, event) => chargeOf(event) },
  )
  const refunds = useList("GET /v1/me/refunds", { query: { transaction_id: id, limit: 20 } }, { reloadsOn })
  const shown = charge.value.value
  const left = shown === undefined ? 0 : leftOf(shown, refunds.value.value?.data ?? [])
  const { value } = texts
  return (
    <Page
      title={shown === undefined ? value.title : `${value.title} · ${formatMoney(shown.amount)}`}
      heading={shown && <ChargeHeading charge={shown} />}
      back={{ to: "/charges", name: value.charges }}
      lead={shown && <ChargeLead charge={shown} />}
      ready={isReady(charge)}
      actions={
        shown && (
          <Acts
            charge={shown}
            isRefundable={shown.status === "paid" && left > 0}
            onRefund={() => setRefunding(true)}
          />
        )
      }
    >
      <Shown of={charge}>{(found) => <Content charge={found} resource={charge} refunds={refunds} />}</Shown>
      {isRefunding && shown !== undefined && (
        <RefundForm
          charge={shown}
          left={left}
          onClose={() => setRefunding(false)}
          onCreated={async () => {
            // The button that the focus returns to is gone where nothing is left to refund.
            await refunds.reload()
            setRefunding(false)
            notify(value.refunded)
          }}
        />
      )}
    </Page>
  )
}
