import "../../styles/webhooks.css"
import { useState } from "preact/hooks"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint, NewEndpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { api } from "../../api/http.ts"
import { useList, useResource } from "../../api/resource.ts"
import { Link, setQuery } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Card, isReady, Page, Shown, Table } from "../../ui/page.tsx"
import { Foreign, Status } from "../../ui/values.tsx"
import { shareText } from "./attempts.ts"
import { Deliveries, StatusFilter, shownStatus } from "./deliveryTable.tsx"
import { type EndpointStats, endpointPath, eventsText, statusOf } from "./endpointFacts.ts"
import { NewEndpointDialog } from "./endpointForm.tsx"
import { PostbackSecretCard } from "./postbackSecret.tsx"
import { SecretDialog } from "./secretDialog.tsx"
import { TrackerCard } from "./tracker.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Webhooks",
    create: "Novo endpoint",
    endpoints: "Endpoints",
    url: "Endereço",
    status: "Situação",
    events: "Eventos",
    share: "Entregues em 7 dias",
    of: (count: string) => `tentativas: ${count}`,
    noAttempts: "sem entregas",
    unknown: "indisponível",
    auto: "por falhas seguidas",
    manual: "por você",
    none: "Nenhum endpoint ainda",
    noneHint: "Um endpoint é um endereço seu que recebe os eventos: cobrança paga, saque concluído e outros.",
    deliveries: "Tentativas recentes, de todos os destinos",
    noDeliveries: "Nenhuma tentativa ainda",
    noDeliveriesHint:
      "Quando houver um evento, cada envio a um endpoint, postback ou rastreador aparece aqui.",
    secret: "Segredo do endpoint",
  },
  en: {
    title: "Webhooks",
    create: "New endpoint",
    endpoints: "Endpoints",
    url: "Address",
    status: "Status",
    events: "Events",
    share: "Delivered in 7 days",
    of: (count: string) => `attempts: ${count}`,
    noAttempts: "no deliveries",
    unknown: "not available",
    auto: "after repeated failures",
    manual: "by you",
    none: "No endpoints yet",
    noneHint:
      "An endpoint is an address of yours that receives events: charge paid, withdrawal arrived and others.",
    deliveries: "Recent attempts, to all destinations",
    noDeliveries: "No attempts yet",
    noDeliveriesHint:
      "Once there is an event, each sending to an endpoint, postback or tracker appears here.",
    secret: "Secret of the endpoint",
  },
})

/** Attempts are no events of the feed, so they are read again by the clock. */
const refreshMillis = 5_000

const Share = ({ of }: { readonly of: Endpoint }) => {
  const stats = useResource(`stats ${of.id}`, (signal) =>
    api.get<EndpointStats>(`${endpointPath(of.id)}/stats`, {}, { signal }),
  )
  useEvery(refreshMillis, stats.refresh)
  const value = stats.value.value
  if (value === undefined)
    return <span class="muted">{stats.error.value === undefined ? "…" : texts.value.unknown}</span>
  if (value.success_rate_7d === null) return <span class="muted">{texts.value.noAttempts}</span>
  return (
    <span>
      {shareText(value.success_rate_7d, language.value)}{" "}
      <small class="event-type muted">{texts.value.of(formatCount(value.deliveries_7d))}</small>
    </span>
  )
}

const EndpointRow = ({ of }: { readonly of: Endpoint }) => {
  const { value } = texts
  return (
    <tr data-testid="endpoint-row" data-id={of.id} data-status={statusOf(of)}>
      <td data-label={value.url}>
        <span>
          <Link to={`/webhooks/${of.id}`}>
            <Foreign>{of.url}</Foreign>
          </Link>
          {of.description !== null && of.description !== "" && (
            <small class="event-type muted">
              <Foreign>{of.description}</Foreign>
            </small>
          )}
        </span>
      </td>
      <td data-label={value.status}>
        <span>
          <Status status={statusOf(of)} />
          {of.disabled_reason !== null && <small class="event-type muted">{value[of.disabled_reason]}</small>}
        </span>
      </td>
      <td data-label={value.events}>{eventsText(of)}</td>
      <td data-label={value.share}>
        <Share of={of} />
      </td>
    </tr>
  )
}

const RecentDeliveries = () => {
  const status = shownStatus()
  const list = useList<Delivery>("/v1/me/webhook-deliveries", { status, limit: 20 })
  useEvery(refreshMillis, list.refresh)
  const { value } = texts
  return (
    <Card
      title={value.deliveries}
      actions={<StatusFilter status={status} onChange={(next) => setQuery({ status: next })} />}
    >
      <Deliveries
        of={list}
        isFiltered={status !== undefined}
        none={value.noDeliveries}
        noneHint={value.noDeliveriesHint}
        showsTarget
      />
    </Card>
  )
}

const useEndpoints = () =>
  useResource(
    "endpoints",
    async (signal) => {
      const path = "/v1/me/webhook-endpoints"
      return (await api.get<{ readonly data: ReadonlyArray<Endpoint> }>(path, {}, { signal })).data
    },
    { reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled" },
  )

/** Where events are delivered, how well that goes, and the newest attempts. */
export default () => {
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewEndpoint>()
  const endpoints = useEndpoints()
  const { value } = texts
  return (
    <Page
      title={value.title}
      ready={isReady(endpoints)}
      actions={
        <Button kind="primary" data-testid="endpoint-create" onClick={() => setCreating(true)}>
          {value.create}
        </Button>
      }
    >
      <Card title={value.endpoints}>
        <Shown of={endpoints}>
          {(list) =>
            list.length === 0 ? (
              <Empty title={value.none}>{value.noneHint}</Empty>
            ) : (
              <Table label={value.endpoints} columns={[value.url, value.status, value.events, value.share]}>
                {list.map((endpoint) => (
                  <EndpointRow key={endpoint.id} of={endpoint} />
                ))}
              </Table>
            )
          }
        </Shown>
      </Card>
      <RecentDeliveries />
      <PostbackSecretCard />
      <TrackerCard />
      {isCreating && (
        <NewEndpointDialog
          onClose={() => setCreating(false)}
          onCreated={(endpoint) => {
            setCreating(false)
            setCreated(endpoint)
            void endpoints.reload()
          }}
        />
      )}
      {created !== undefined && (
        <SecretDialog title={value.secret} secret={created.secret} onDone={() => setCreated(undefined)} />
      )}
    </Page>
  )
}
