import type { OperatorDelivery as OperatorDeliverySchema } from "../../../../schema/api/operations.ts"
import { useList } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, When } from "../../ui/values.tsx"
import { ChargeLink, NamedSeller } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Falhas de entrega",
    what: "A última tentativa falhou, e o serviço não tenta mais sozinho. O vendedor as vê em seus webhooks e pode enviá-las de novo.",
    empty: "Nenhuma falha de entrega",
    emptyWhy: "Entregas cuja última tentativa falhou aparecem aqui.",
    when: "Quando",
    seller: "Vendedor",
    mode: "Modo",
    live: "Produção",
    test: "Teste",
    event: "Evento",
    about: "Sobre",
    host: "Destino",
    error: "Erro",
    attempt: "Tentativa",
    id: "Entrega",
  },
  en: {
    title: "Failed deliveries",
    what: "The last attempt failed, and the service no longer tries by itself. Sellers see them in their webhooks and can send them again.",
    empty: "No failed deliveries",
    emptyWhy: "Deliveries whose last attempt failed appear here.",
    when: "When",
    seller: "Seller",
    mode: "Mode",
    live: "Live",
    test: "Test",
    event: "Event",
    about: "About",
    host: "Destination",
    error: "Error",
    attempt: "Attempt",
    id: "Delivery",
  },
})

/** An attempt as operators see it. */
type OperatorDelivery = typeof OperatorDeliverySchema.Type

const pageSize = 25

const Row = ({ of: delivery }: { readonly of: OperatorDelivery }) => {
  const { value } = texts
  return (
    <TableRow data-testid="dead-row" data-id={delivery.id} data-status={delivery.status}>
      <Cell place="when" label={value.when}>
        <When at={delivery.created_at} />
      </Cell>
      <Cell place="extra" label={value.seller}>
        <NamedSeller of={delivery} />
      </Cell>
      <Cell place="extra" label={value.mode}>
        {value[delivery.mode]}
      </Cell>
      <Cell place="title" label={value.event}>
        {delivery.event_type}
      </Cell>
      <Cell place="extra" label={value.about}>
        {delivery.resource_id === null ? "—" : <ChargeLink id={delivery.resource_id} />}
      </Cell>
      <Cell place="note" label={value.host}>
        <Foreign>{delivery.target_host}</Foreign>
      </Cell>
      <Cell place="state" label={value.error}>
        {delivery.error === null ? "—" : <Code>{delivery.error}</Code>}
      </Cell>
      <Cell place="extra" label={value.attempt} isRight>
        {delivery.attempt}
      </Cell>
      <Cell place="extra" label={value.id}>
        <Code>{delivery.id}</Code>
      </Cell>
    </TableRow>
  )
}

/** Deliveries of all sellers that are not tried again. */
export default () => {
  const list = useList("GET /v1/admin/deliveries", { query: { status: "dead", limit: pageSize } })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <p class="muted">{value.what}</p>
      <ListTable
        of={list}
        label={value.title}
        columns={[
          value.when,
          value.seller,
          value.mode,
          value.event,
          value.about,
          value.host,
          value.error,
          { right: value.attempt },
          value.id,
        ]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(delivery) => <Row key={delivery.id} of={delivery} />}
      </ListTable>
    </Page>
  )
}
