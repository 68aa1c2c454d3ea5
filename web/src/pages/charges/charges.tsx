import { orderOf } from "../../../../schema/chargeTexts.ts"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { chargeOf } from "../../api/live.ts"
import { useList } from "../../api/resource.ts"
import { Link, navigate, query, setQuery } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, notify } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Money, Status, When } from "../../ui/values.tsx"
import { FilterBar } from "./filterBar.tsx"
import { readChargeFilters } from "./listFilters.ts"
import { NewCharge } from "./newCharge.tsx"
import { isChargeEvent, listWith } from "./rules.ts"
import { StatusTabs, TotalsLine, useTotals } from "./totals.tsx"
import "../../styles/chargeList.css"

const texts = textsOf({
  "pt-BR": {
    title: "Cobranças",
    create: "Nova cobrança",
    amount: "Valor",
    status: "Situação",
    customer: "Pagador",
    order: "Pedido",
    paid: "Paga em",
    created: "criada",
    open: "Abrir cobrança de",
    none: "Nenhuma cobrança ainda",
    first: "Crie a primeira aqui, ou pela API. Ela aparece na hora, com o QR code para pagar.",
    noneFiltered: "Nenhuma cobrança com estes filtros",
    widen: "Mude ou limpe os filtros para ver outras.",
    done: "Cobrança criada.",
    waiting: (count: number) => (count === 1 ? "1 cobrança nova" : `${count} cobranças novas`),
  },
  en: {
    title: "Charges",
    create: "New charge",
    amount: "Amount",
    status: "Status",
    customer: "Payer",
    order: "Order",
    paid: "Paid",
    created: "created",
    open: "Open the charge of",
    none: "No charges yet",
    first: "Create the first one here, or by the API. It appears at once, with its QR code.",
    noneFiltered: "No charges match these filters",
    widen: "Change or clear the filters to see others.",
    done: "Charge created.",
    waiting: (count: number) => (count === 1 ? "1 new charge" : `${count} new charges`),
  },
})

/** Charges that an event brought while the page was open. */
const arrived = new WeakSet<TransactionSummary>()

const Row = ({ charge }: { readonly charge: TransactionSummary }) => (
  <TableRow
    data-testid="charge-row"
    data-id={charge.id}
    data-status={charge.status}
    isNew={arrived.has(charge)}
    opens
  >
    <Cell place="state" label={texts.value.status}>
      <Status status={charge.status} />
    </Cell>
    <Cell place="amount" label={texts.value.amount}>
      <Money amount={charge.amount} />
    </Cell>
    <Cell place="title" label={texts.value.customer}>
      <Link to={`/charges/${charge.id}`}>
        <span class="visually-hidden">
          {texts.value.open} {formatMoney(charge.amount)}{" "}
        </span>
        <span class="clamped">
          <Foreign>{charge.customer.name}</Foreign>
        </span>
      </Link>
      <small class="second-line">
        <Foreign>{charge.customer.email}</Foreign>
      </small>
    </Cell>
    <Cell place="note" label={texts.value.order}>
      <span class="clamped">
        <Foreign>{orderOf(charge)}</Foreign>
      </span>
    </Cell>
    <Cell place="when" label={texts.value.paid}>
      {charge.paid_at === null && `${texts.value.created} `}
      <When at={charge.paid_at ?? charge.created_at} />
    </Cell>
  </TableRow>
)

const pageSize = 25

/** Centavos that a link asks the form to begin with. */
const askedAmount = (): number | undefined => {
  const amount = Number(query.value.get("amount"))
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined
}

const Creation = () => {
  if (query.value.get("create") === null) return null
  return (
    <NewCharge
      amount={askedAmount()}
      onClose={() => setQuery({ create: undefined, amount: undefined })}
      onCreated={({ id }) => {
        notify(texts.value.done)
        navigate(`/charges/${id}`, { replace: true })
      }}
    />
  )
}

/** The seller's charges: filtered by the address, live, and where new ones are created. */
export default () => {
  const filters = readChargeFilters(query.value)
  const totals = useTotals(filters)
  const charges = useList(
    "GET /v1/me/transactions",
    { query: { ...filters, view: "summary", limit: pageSize } },
    {
      reloadsOn: isChargeEvent,
      applies: (shown, event) => {
        const charge = chargeOf(event)
        if (charge === undefined) return undefined
        arrived.add(charge)
        return listWith(shown, charge, filters)
      },
    },
  )
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(charges)}
      actions={
        <Button kind="primary" data-testid="charge-create" onClick={() => setQuery({ create: "1" })}>
          {texts.value.create}
        </Button>
      }
    >
      <StatusTabs status={filters.status} of={totals} />
      <FilterBar filters={filters} />
      <TotalsLine status={filters.status} of={totals} />
      <ListTable
        of={charges}
        label={texts.value.title}
        waiting={{ idOf: ({ id }) => id, label: texts.value.waiting }}
        columns={[
          texts.value.status,
          { right: texts.value.amount },
          texts.value.customer,
          texts.value.order,
          texts.value.paid,
        ]}
        empty={
          <Empty title={isFiltered ? texts.value.noneFiltered : texts.value.none}>
            {isFiltered ? texts.value.widen : texts.value.first}
          </Empty>
        }
      >
        {(charge) => <Row key={charge.id} charge={charge} />}
      </ListTable>
      <Creation />
    </Page>
  )
}
