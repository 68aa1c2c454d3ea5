import type { Customer } from "../../../../schema/resources/customer.ts"
import { useList } from "../../api/resource.ts"
import { Link, query } from "../../app/router.tsx"
import { formatCount, maskDocument } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Empty } from "../../ui/feedback.tsx"
import { ClearFilters, PeriodFilter } from "../../ui/filters.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { readPeriod } from "../../ui/period.ts"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Money, When } from "../../ui/values.tsx"
import { WordSearch } from "../../ui/wordSearch.tsx"
import { wordsIn } from "../../ui/words.ts"
import { isChargeEvent } from "../charges/rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Clientes",
    search: "Buscar por nome, e-mail ou CPF",
    name: "Cliente",
    document: "CPF ou CNPJ",
    charges: "Cobranças",
    paid: "Pago",
    refunded: "Devolvido",
    last: "Última cobrança",
    order: "Da cobrança mais recente para a mais antiga",
    noneOfPeriod: "Nenhum cliente com a última cobrança neste período",
    noneOfPeriodWhy: "Quem teve outra cobrança depois aparece no período dela.",
    none: "Nenhum cliente ainda",
    first: "Quem paga aparece aqui com a primeira cobrança, uma vez por CPF ou CNPJ.",
    noneFound: (text: string) => `Nenhum cliente encontrado para “${text}”`,
    noneFoundWhy:
      "Nomes e e-mails são achados pelo começo; um CPF, inteiro, pelos seis primeiros dígitos ou pelos seis que aparecem; um CNPJ, inteiro ou pelo começo.",
  },
  en: {
    title: "Customers",
    search: "Search by name, e-mail or CPF",
    name: "Customer",
    document: "CPF or CNPJ",
    charges: "Charges",
    paid: "Paid",
    refunded: "Refunded",
    last: "Newest charge",
    order: "From the newest charge to the oldest",
    noneOfPeriod: "No customer's newest charge is of this period",
    noneOfPeriodWhy: "Whoever had another charge later appears in the period of that one.",
    none: "No customers yet",
    first: "Whoever pays appears here with the first charge, once for each CPF or CNPJ.",
    noneFound: (text: string) => `No customer was found for “${text}”`,
    noneFoundWhy:
      "Names and e-mail addresses are found by their beginnings; a CPF whole, by its first six digits or by the six that are shown; a CNPJ whole or by its beginning.",
  },
})

const Row = ({ of: customer }: { readonly of: Customer }) => (
  <TableRow data-testid="customer-row" data-id={customer.id} opens>
    <Cell place="title" label={texts.value.name}>
      <Link to={`/customers/${customer.id}`}>
        <span class="clamped">
          <Foreign>{customer.name}</Foreign>
        </span>
      </Link>
      <small class="second-line">
        <Foreign>{customer.email}</Foreign>
      </small>
    </Cell>
    <Cell place="wide" label={texts.value.document}>
      <Foreign>{maskDocument(customer.document)}</Foreign>
    </Cell>
    <Cell place="wide" label={texts.value.charges} isRight>
      {formatCount(customer.charges)}
    </Cell>
    <Cell place="when" label={texts.value.last}>
      <When at={customer.last_charge_at} />
    </Cell>
    <Cell place="wide" label={texts.value.refunded} isRight>
      {customer.refunded_amount > 0 && <Money amount={customer.refunded_amount} />}
    </Cell>
    <Cell place="amount" label={texts.value.paid}>
      <Money amount={customer.paid_amount} />
    </Cell>
  </TableRow>
)

interface NoneProps {
  readonly q: string | undefined
  readonly isOfPeriod: boolean
}

/** Says why nobody is listed. */
const None = ({ q, isOfPeriod }: NoneProps) => {
  const { value } = texts
  if (q !== undefined) return <Empty title={value.noneFound(q)}>{value.noneFoundWhy}</Empty>
  if (isOfPeriod) return <Empty title={value.noneOfPeriod}>{value.noneOfPeriodWhy}</Empty>
  return <Empty title={value.none}>{value.first}</Empty>
}

/** Who pays the seller, the one with the newest charge first. */
export default () => {
  const q = wordsIn(query.value.get("q") ?? "")
  const period = readPeriod(query.value)
  const isOfPeriod = (period.from ?? period.to) !== undefined
  const list = useList(
    "GET /v1/me/customers",
    { query: { limit: 25, ...period, ...(q === undefined ? {} : { q }) } },
    { reloadsOn: isChargeEvent },
  )
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <WordSearch q={q} label={value.search} testId="customer-search" />
        <PeriodFilter today={today.value} label={value.last} />
        {isOfPeriod && <ClearFilters />}
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[
          value.name,
          value.document,
          { right: value.charges },
          { newest: value.last },
          { right: value.refunded },
          { right: value.paid },
        ]}
        order={value.order}
        empty={<None q={q} isOfPeriod={isOfPeriod} />}
      >
        {(customer) => <Row key={customer.id} of={customer} />}
      </ListTable>
    </Page>
  )
}
