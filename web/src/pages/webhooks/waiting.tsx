import { useEvery } from "../../api/every.ts"
import { useList } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, More, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, When } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Esperando a vez",
    what: "Estes eventos só saem depois do anterior do mesmo recurso.",
    none: "Nada espera: tudo o que houve já saiu ou está saindo.",
    when: "Quando",
    event: "Evento",
    resource: "Recurso",
    waitsFor: "Espera por",
  },
  en: {
    title: "Waiting for their turn",
    what: "These events leave only after the one before them of the same resource.",
    none: "Nothing waits: all there was has left or is leaving.",
    when: "When",
    event: "Event",
    resource: "Resource",
    waitsFor: "Waits for",
  },
})

const refreshMillis = 5_000

/** The events that wait for their turn at an ordered endpoint (`docs/contract/deliveries.md#ordering`). */
export const Waiting = ({ id }: { readonly id: string }) => {
  const list = useList("GET /v1/me/webhook-endpoints/:id/waiting", { params: { id } })
  useEvery(refreshMillis, list.refresh)
  const { value } = texts
  return (
    <Card title={value.title}>
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{value.none}</p>
          ) : (
            <>
              <p class="muted">{value.what}</p>
              <Table label={value.title} columns={[value.when, value.event, value.resource, value.waitsFor]}>
                {data.map((waiting) => (
                  <TableRow key={waiting.event_id} data-testid="waiting-row" data-id={waiting.event_id}>
                    <Cell place="when" label={value.when}>
                      <When at={waiting.created_at} />
                    </Cell>
                    <Cell place="title" label={value.event}>
                      {eventName(waiting.event_type)}
                    </Cell>
                    <Cell place="extra" label={value.resource}>
                      <Code>{waiting.resource_id}</Code>
                    </Cell>
                    <Cell place="extra" label={value.waitsFor}>
                      <Link to={`/events?id=${waiting.waits_for}`}>
                        <Code>{waiting.waits_for}</Code>
                      </Link>
                    </Cell>
                  </TableRow>
                ))}
              </Table>
              <More of={list} />
            </>
          )
        }
      </Shown>
    </Card>
  )
}
