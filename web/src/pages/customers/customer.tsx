import { useState } from "preact/hooks"
import { orderOf } from "../../../../schema/chargeTexts.ts"
import type { Customer } from "../../../../schema/resources/customer.ts"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { type List, useList, useRead } from "../../api/resource.ts"
import { Link, navigate, type PageParams } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { TaxDocument } from "../../ui/taxDocument.tsx"
import { CopiedCode, Foreign, Moment, Money, Status, When } from "../../ui/values.tsx"
import { isChargeEvent } from "../charges/rules.ts"

const MergeDialog = lazily(() => import("./mergeDialog.tsx").then((part) => part.MergeDialog))

/** How many of a customer's newest charges its page has. */
const chargesShown = 25

const texts = textsOf({
  "pt-BR": {
    title: "Cliente",
    customers: "Clientes",
    merge: "Unir a outro",
    merged: "Clientes unidos.",
    charges: "Cobranças",
    all: "Ver todas as cobranças",
    refunds: "Devoluções",
    totals: "Totais",
    paid: "Pago",
    refunded: "Devolvido",
    kept: "Ficou",
    count: "Cobranças",
    who: "Contato",
    email: "E-mail",
    phone: "Telefone",
    document: "CPF ou CNPJ",
    since: "Cliente desde",
    last: "Última cobrança criada",
    lastPaid: "Último pagamento",
    paidBefore: `há mais de ${chargesShown} cobranças`,
    noOrder: "Sem pedido",
    id: "Id",
    amount: "Valor",
    status: "Situação",
    created: "Criada em",
    order: "Pedido",
    open: "Abrir cobrança",
    kind: "Tipo",
    when: "Quando",
    refund: "Devolução",
    chargeback: "Contestação",
  },
  en: {
    title: "Customer",
    customers: "Customers",
    merge: "Merge into another",
    merged: "Customers merged.",
    charges: "Charges",
    all: "See all charges",
    refunds: "Refunds",
    totals: "Totals",
    paid: "Paid",
    refunded: "Refunded",
    kept: "Kept",
    count: "Charges",
    who: "Contact",
    email: "E-mail",
    phone: "Phone",
    document: "CPF or CNPJ",
    since: "Customer since",
    last: "Newest charge created",
    lastPaid: "Last payment",
    paidBefore: `more than ${chargesShown} charges ago`,
    noOrder: "No order",
    id: "Id",
    amount: "Amount",
    status: "Status",
    created: "Created",
    order: "Order",
    open: "Open charge",
    kind: "Kind",
    when: "When",
    refund: "Refund",
    chargeback: "Chargeback",
  },
})

/** What the seller calls a charge; its id tells nobody anything. */
const OrderName = ({ of: charge }: { readonly of: TransactionSummary }) => {
  const name = orderOf(charge) || charge.description
  return name ? <Foreign>{name}</Foreign> : <span>{texts.value.noOrder}</span>
}

/** When the newest payment of the charges that are shown came in; nothing until they are read. */
const LastPaid = ({ of }: { readonly of: List<TransactionSummary> }) => {
  const page = of.value.value
  const at = page?.data
    .flatMap(({ paid_at }) => paid_at ?? [])
    .toSorted()
    .at(-1)
  if (at !== undefined) return <Moment at={at} />
  return page === undefined ? <span>…</span> : <span>{texts.value.paidBefore}</span>
}

const Charges = ({ of, id }: { readonly of: List<TransactionSummary>; readonly id: string }) => {
  const { value } = texts
  return (
    <Card title={value.charges}>
      <Shown of={of}>
        {({ data }) => (
          <Table
            label={value.charges}
            columns={[value.order, value.status, value.created, { right: value.amount }]}
          >
            {data.map((charge) => (
              <TableRow key={charge.id} data-testid="customer-charge" data-id={charge.id} opens>
                <Cell place="title" label={value.order}>
                  <Link to={`/charges/${charge.id}`}>
                    <span class="visually-hidden">{value.open} </span>
                    <OrderName of={charge} />
                  </Link>
                </Cell>
                <Cell place="state" label={value.status}>
                  <Status status={charge.status} />
                </Cell>
                <Cell place="when" label={value.created}>
                  <When at={charge.created_at} />
                </Cell>
                <Cell place="amount" label={value.amount}>
                  <Money amount={charge.amount} />
                </Cell>
              </TableRow>
            ))}
          </Table>
        )}
      </Shown>
      <p>
        <Link to={`/charges?customer_id=${id}`} data-testid="customer-charges">
          {value.all}
        </Link>
      </p>
    </Card>
  )
}

/** What went back of the charges that are shown, newest first; nothing where nothing did. */
const Refunds = ({ of }: { readonly of: List<TransactionSummary> }) => {
  const { value } = texts
  const refunds = (of.value.value?.data ?? [])
    .flatMap((charge) => charge.refunds.map((refund) => ({ ...refund, charge })))
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))
  if (refunds.length === 0) return null
  return (
    <Card title={value.refunds}>
      <Table label={value.refunds} columns={[value.order, value.kind, value.when, { right: value.amount }]}>
        {refunds.map(({ id, kind, amount, created_at, charge }) => (
          <TableRow key={id} data-testid="customer-refund" data-id={id} opens>
            <Cell place="title" label={value.order}>
              <Link to={`/charges/${charge.id}`}>
                <span class="visually-hidden">{value.open} </span>
                <OrderName of={charge} />
              </Link>
            </Cell>
            <Cell place="note" label={value.kind}>
              {value[kind]}
            </Cell>
            <Cell place="when" label={value.when}>
              <When at={created_at} />
            </Cell>
            <Cell place="amount" label={value.amount}>
              −<Money amount={amount} />
            </Cell>
          </TableRow>
        ))}
      </Table>
    </Card>
  )
}

const Totals = ({ of: { paid_amount, refunded_amount, charges } }: { readonly of: Customer }) => {
  const { value } = texts
  return (
    <Card title={value.totals}>
      <Facts
        of={[
          [
            value.count,
            <span key="count" data-testid="customer-count">
              {formatCount(charges)}
            </span>,
          ],
          [value.paid, <Money key="paid" amount={paid_amount} testId="customer-paid" />],
          [value.refunded, <Money key="refunded" amount={refunded_amount} testId="customer-refunded" />],
          [value.kept, <Money key="kept" amount={paid_amount - refunded_amount} />],
        ]}
      />
    </Card>
  )
}

interface WhoProps {
  readonly of: Customer
  readonly charges: List<TransactionSummary>
}

const Who = ({ of: customer, charges }: WhoProps) => {
  const { value } = texts
  return (
    <Card title={value.who}>
      <Facts
        of={[
          [value.email, <Foreign key="email">{customer.email}</Foreign>],
          [value.phone, customer.phone !== null && <Foreign key="phone">{customer.phone}</Foreign>],
          [value.document, <TaxDocument key="document" of={customer.document} />],
          [value.since, <Moment key="since" at={customer.first_charge_at} />],
          [value.lastPaid, customer.paid_amount > 0 && <LastPaid key="paid" of={charges} />],
          [value.last, <Moment key="last" at={customer.last_charge_at} />],
          [value.id, <CopiedCode key="id">{customer.id}</CopiedCode>],
        ]}
      />
    </Card>
  )
}

/** One customer, live: who it is, what it has paid and got back, and its newest charges. */
export default ({ params: { id = "" } }: PageParams) => {
  const [isMerging, setMerging] = useState(false)
  const customer = useRead("GET /v1/me/customers/:id", { params: { id } }, { reloadsOn: isChargeEvent })
  const charges = useList(
    "GET /v1/me/transactions",
    { query: { customer_id: id, view: "summary", limit: chargesShown } },
    { reloadsOn: isChargeEvent },
  )
  const shown = customer.value.value
  const { value } = texts
  return (
    <Page
      title={shown?.name ?? value.title}
      heading={shown && <Foreign>{shown.name}</Foreign>}
      back={{ to: "/customers", name: value.customers }}
      ready={isReady(customer)}
      actions={
        shown && (
          <Button needs="serving" data-testid="customer-merge" onClick={() => setMerging(true)}>
            {value.merge}
          </Button>
        )
      }
    >
      <Shown of={customer}>
        {(found) => (
          <div class="main-columns">
            <div class="main-column">
              <Charges of={charges} id={found.id} />
              <Refunds of={charges} />
            </div>
            <div class="main-column">
              <Totals of={found} />
              <Who of={found} charges={charges} />
            </div>
          </div>
        )}
      </Shown>
      {isMerging && shown !== undefined && (
        <MergeDialog
          customer={shown}
          onClose={() => setMerging(false)}
          onDone={(into) => {
            setMerging(false)
            notify(value.merged)
            if (into.id === id) {
              customer.set(into)
              void charges.reload()
            } else navigate(`/customers/${into.id}`)
          }}
        />
      )}
    </Page>
  )
}
