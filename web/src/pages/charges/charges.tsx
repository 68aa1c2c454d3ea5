import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { useList } from "../../api/resource.ts"
import { Link, navigate, query, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, notify } from "../../ui/feedback.tsx"
import { Filters, readFilters } from "../../ui/filters.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Foreign, Moment, Money, Status } from "../../ui/values.tsx"
import { NewCharge } from "./newCharge.tsx"
import { chargeStatuses, isChargeEvent } from "./rules.ts"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Cobranças",
    create: "Nova cobrança",
    amount: "Valor",
    status: "Status",
    customer: "Quem paga",
    description: "Descrição",
    created: "Criada em",
    open: "Abrir cobrança de",
    none: "Nenhuma cobrança ainda",
    first: "Crie a primeira aqui, ou pela API. Ela aparece na hora, com o QR code para pagar.",
    noneFiltered: "Nenhuma cobrança com estes filtros",
    widen: "Mude ou limpe os filtros para ver outras.",
    done: "Cobrança criada.",
  },
  en: {
    title: "Charges",
    create: "New charge",
    amount: "Amount",
    status: "Status",
    customer: "Who pays",
    description: "Description",
    created: "Created",
    open: "Open the charge of",
    none: "No charges yet",
    first: "Create the first one here, or by the API. It appears at once, with its QR code.",
    noneFiltered: "No charges match these filters",
    widen: "Change or clear the filters to see others.",
    done: "Charge created.",
  },
})

const Row = ({ charge }: { readonly charge: Transaction }) => (
  <tr data-testid="charge-row" data-id={charge.id} data-status={charge.status}>
    <td data-label={texts.value.amount}>
      <Link to={`/charges/${charge.id}`}>
        <span class="visually-hidden">{texts.value.open} </span>
        <Money amount={charge.amount} />
      </Link>
    </td>
    <td data-label={texts.value.status}>
      <Status status={charge.status} />
    </td>
    <td data-label={texts.value.customer}>
      <span class="clamped">
        <Foreign>{charge.customer.name}</Foreign>
      </span>
    </td>
    <td data-label={texts.value.description}>
      <span class="clamped muted">
        <Foreign>{charge.items[0]?.name ?? ""}</Foreign>
      </span>
    </td>
    <td data-label={texts.value.created}>
      <Moment at={charge.created_at} />
    </td>
  </tr>
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
  const filters = readFilters(chargeStatuses)
  const charges = useList<Transaction>(
    "/v1/me/transactions",
    { ...filters, limit: pageSize },
    { reloadsOn: isChargeEvent },
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
      <Filters statuses={chargeStatuses} />
      <ListCard
        of={charges}
        label={texts.value.title}
        columns={[
          texts.value.amount,
          texts.value.status,
          texts.value.customer,
          texts.value.description,
          texts.value.created,
        ]}
        empty={
          <Empty title={isFiltered ? texts.value.noneFiltered : texts.value.none}>
            {isFiltered ? texts.value.widen : texts.value.first}
          </Empty>
        }
      >
        {(charge) => <Row key={charge.id} charge={charge} />}
      </ListCard>
      <Creation />
    </Page>
  )
}
