import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { useEvery } from "../../api/every.ts"
import { useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { Card, More, Shown, Table } from "../../ui/page.tsx"
import { Foreign, Moment, Status } from "../../ui/values.tsx"
import { outcomeText } from "../webhooks/outcomes.ts"
import { isEventOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Entregas de webhooks",
    event: "Evento",
    status: "Resultado",
    attempt: "Tentativa",
    answer: "Resposta",
    host: "Destino",
    at: "Quando",
    none: "Nada foi entregue",
    hint: "Eventos desta cobrança são entregues aos seus endpoints de webhook.",
    webhooks: "Ver webhooks",
  },
  en: {
    title: "Webhook deliveries",
    event: "Event",
    status: "Result",
    attempt: "Attempt",
    answer: "Answer",
    host: "Destination",
    at: "When",
    none: "Nothing was delivered",
    hint: "Events of this charge are delivered to your webhook endpoints.",
    webhooks: "See webhooks",
  },
})

/** The feed tells of no attempts, so the list is read again while it can be seen. */
const everyMillis = 4_000

const Row = ({ delivery }: { readonly delivery: Delivery }) => (
  <tr data-testid="delivery-row" data-id={delivery.id} data-status={delivery.status}>
    <td data-label={texts.value.event}>
      <Link to={`/deliveries/${delivery.id}`}>{eventName(delivery.event_type)}</Link>
    </td>
    <td data-label={texts.value.status}>
      <Status status={delivery.status} />
    </td>
    <td data-label={texts.value.attempt}>{delivery.attempt}</td>
    <td data-label={texts.value.answer}>{outcomeText(delivery)}</td>
    <td data-label={texts.value.host}>
      <Foreign>{delivery.target_host}</Foreign>
    </td>
    <td data-label={texts.value.at}>
      <Moment at={delivery.created_at} />
    </td>
  </tr>
)

/** The attempts to tell the seller's systems of a charge, newest first. */
export const ChargeDeliveries = ({ id }: { readonly id: string }) => {
  const deliveries = useList<Delivery>(
    "/v1/me/webhook-deliveries",
    { resource_id: id, limit: 20 },
    { reloadsOn: isEventOf(id) },
  )
  useEvery(everyMillis, deliveries.reload)
  const { value } = texts
  return (
    <Card title={value.title}>
      <Shown of={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={value.none}>
              {value.hint} <Link to="/webhooks">{value.webhooks}</Link>
            </Empty>
          ) : (
            <Table
              label={value.title}
              columns={[value.event, value.status, value.attempt, value.answer, value.host, value.at]}
            >
              {data.map((delivery) => (
                <Row key={delivery.id} delivery={delivery} />
              ))}
            </Table>
          )
        }
      </Shown>
      <More of={deliveries} />
    </Card>
  )
}
