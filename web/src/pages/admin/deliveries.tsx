import type { OperatorDelivery as OperatorDeliverySchema } from "../../../../schema/api/operations.ts"
import { useList } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Code, Foreign, Moment } from "../../ui/values.tsx"
import { ChargeLink, SellerLink } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Entregas esgotadas",
    what: "A última tentativa falhou, e o serviço não tenta mais sozinho. O vendedor as vê em seus webhooks e pode enviá-las de novo.",
    empty: "Nenhuma entrega esgotada",
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
    title: "Dead deliveries",
    what: "The last attempt failed, and the service no longer tries by itself. Sellers see them in their webhooks and can send them again.",
    empty: "No dead deliveries",
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
    <tr data-testid="dead-row" data-id={delivery.id} data-status={delivery.status}>
      <td data-label={value.when}>
        <Moment at={delivery.created_at} />
      </td>
      <td data-label={value.seller}>
        <SellerLink id={delivery.seller_id} />
      </td>
      <td data-label={value.mode}>{value[delivery.mode]}</td>
      <td data-label={value.event} class="whole">
        {delivery.event_type}
      </td>
      <td data-label={value.about}>
        {delivery.resource_id === null ? "—" : <ChargeLink id={delivery.resource_id} />}
      </td>
      <td data-label={value.host}>
        <Foreign>{delivery.target_host}</Foreign>
      </td>
      <td data-label={value.error} class="whole">
        {delivery.error === null ? "—" : <Code>{delivery.error}</Code>}
      </td>
      <td data-label={value.attempt}>{delivery.attempt}</td>
      <td data-label={value.id}>
        <Code>{delivery.id}</Code>
      </td>
    </tr>
  )
}

/** Deliveries of all sellers that are not tried again. */
export default () => {
  const list = useList<OperatorDelivery>("/v1/admin/deliveries", { status: "dead", limit: pageSize })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <p class="muted">{value.what}</p>
      <ListCard
        of={list}
        label={value.title}
        columns={[
          ...[value.when, value.seller, value.mode, value.event, value.about],
          ...[value.host, value.error, value.attempt, value.id],
        ]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(delivery) => <Row key={delivery.id} of={delivery} />}
      </ListCard>
    </Page>
  )
}
