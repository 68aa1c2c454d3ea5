import { exceptionKinds, exceptionStates } from "../../../../schema/names.ts"
import type { Exception } from "../../../../schema/resources/exception.ts"
import { useList } from "../../api/resource.ts"
import { Link, query, queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Money, Status, When } from "../../ui/values.tsx"
import { ExceptionPage } from "./exception.tsx"
import { kindText } from "./exceptionTexts.ts"
import { isFreezing } from "./freezeBanner.tsx"
import { ManyExceptions } from "./manyExceptions.tsx"
import { ChargeLink, Filter, SellerLink, StatusFilter } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Exceções",
    empty: "Nenhuma exceção",
    emptyWhy:
      "O que os livros do parceiro dizem diferente dos nossos aparece aqui, e espera por uma decisão.",
    kind: "Tipo",
    state: "Situação",
    amount: "Valor",
    about: "Sobre",
    seller: "Vendedor",
    mode: "Modo",
    when: "Registrada",
    all: "Todos",
    allStates: "Todas",
    test: "Teste",
    live: "Produção",
    freezing: "para os saques",
    nobody: "Nada nosso",
  },
  en: {
    title: "Exceptions",
    empty: "No exceptions",
    emptyWhy: "What the acquirer's books say differently from ours appears here and waits for a decision.",
    kind: "Kind",
    state: "State",
    amount: "Amount",
    about: "About",
    seller: "Seller",
    mode: "Mode",
    when: "Recorded",
    all: "All",
    allStates: "All",
    test: "Test",
    live: "Live",
    freezing: "holds payouts",
    nobody: "Nothing of ours",
  },
})

const pageSize = 25

const Row = ({ of: exception }: { readonly of: Exception }) => {
  const { id, kind, state, amount, resource_id, seller_id, mode, created_at } = exception
  const { value } = texts
  return (
    <TableRow data-testid="exception-row" data-id={id} data-status={state} opens>
      <Cell place="title" label={value.kind}>
        <span>
          <Link to={`/admin/exceptions?id=${id}`}>{kindText(kind)}</Link>
          {isFreezing(exception) && <span class="bad-text"> ({value.freezing})</span>}
        </span>
      </Cell>
      <Cell place="state" label={value.state}>
        <Status status={state} />
      </Cell>
      <Cell place="extra" label={value.about}>
        {resource_id === null ? <span class="muted">{value.nobody}</span> : <ChargeLink id={resource_id} />}
      </Cell>
      <Cell place="extra" label={value.seller}>
        {seller_id === null ? "—" : <SellerLink id={seller_id} />}
      </Cell>
      <Cell place="extra" label={value.mode}>
        {value[mode]}
      </Cell>
      <Cell place="when" label={value.when}>
        <When at={created_at} />
      </Cell>
      <Cell place="amount" label={value.amount}>
        <Money amount={amount} />
      </Cell>
    </TableRow>
  )
}

const Exceptions = () => {
  const state = queryChoice("state", exceptionStates)
  const kind = queryChoice("kind", exceptionKinds)
  const list = useList("GET /v1/admin/exceptions", { query: { state, kind, limit: pageSize } })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <StatusFilter name="state" label={value.state} statuses={exceptionStates} all={value.allStates} />
        <Filter
          name="kind"
          label={value.kind}
          choices={[["", value.all], ...exceptionKinds.map((kind) => [kind, kindText(kind)] as const)]}
        />
      </div>
      {state === "open" && kind !== undefined && <ManyExceptions kind={kind} onDone={list.reload} />}
      <ListTable
        of={list}
        label={value.title}
        columns={[
          value.kind,
          value.state,
          value.about,
          value.seller,
          value.mode,
          value.when,
          { right: value.amount },
        ]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(exception) => <Row key={exception.id} of={exception} />}
      </ListTable>
    </Page>
  )
}

/** What the acquirer's books say differently from ours: the list, or the exception that the address names. */
export default () => {
  const id = query.value.get("id")
  return id === null ? <Exceptions /> : <ExceptionPage key={id} id={id} />
}
