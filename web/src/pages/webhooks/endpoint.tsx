import "../../styles/webhooks.css"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { api } from "../../api/http.ts"
import { type List, type Resource, useList, useResource } from "../../api/resource.ts"
import { Link, setQuery } from "../../app/router.tsx"
import type { PageParams } from "../../app/routes.ts"
import { formatCount, formatMoment } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Code, Foreign, Moment, Status } from "../../ui/values.tsx"
import { AttemptStrip } from "./attemptStrip.tsx"
import { shareText } from "./attempts.ts"
import { Deliveries, StatusFilter, shownStatus } from "./deliveryTable.tsx"
import { type EndpointStats, endpointPath, eventsText, hostOf, statusOf } from "./endpointFacts.ts"
import { History } from "./history.tsx"
import { Maintenance } from "./maintenance.tsx"
import { Probes } from "./probes.tsx"
import { Waiting } from "./waiting.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Endpoint",
    back: "Todos os webhooks",
    url: "Endereço",
    status: "Situação",
    events: "Eventos",
    description: "Descrição",
    ordering: "Ordem",
    ordered: "Por recurso: um evento espera o anterior",
    since: "Criado em",
    id: "Id",
    secret: "Segredo",
    secretText: (prefix: string) => `${prefix}… (mostrado só ao criar ou trocar)`,
    auto: (at: string) =>
      `Desativado por nós em ${at}: 50 entregas seguidas se esgotaram, sem nenhum sucesso em 7 dias. Conserte o seu sistema, envie um ping, ative o endpoint e recupere o que foi perdido.`,
    manual: "Desativado por você. Eventos não são enviados; ao ativar de novo, recupere o que foi perdido.",
    health: "Saúde",
    share: "Entregues em 7 dias",
    shareOf: (count: string) => `(tentativas: ${count})`,
    noAttempts: "Sem entregas em 7 dias",
    ping: "Último ping ou teste",
    pingOk: "respondeu bem",
    pingBad: "falhou",
    deliveries: "Tentativas",
    none: "Nenhuma tentativa ainda",
    noneHint: "Envie um ping, ou espere pelo próximo evento.",
  },
  en: {
    title: "Endpoint",
    back: "All webhooks",
    url: "Address",
    status: "Status",
    events: "Events",
    description: "Description",
    ordering: "Order",
    ordered: "By resource: an event waits for the one before it",
    since: "Created",
    id: "Id",
    secret: "Secret",
    secretText: (prefix: string) => `${prefix}… (shown only when made or replaced)`,
    auto: (at: string) =>
      `Disabled by us on ${at}: 50 deliveries in a row were dead, without a success in 7 days. Mend your system, send a ping, enable the endpoint and recover what was missed.`,
    manual: "Disabled by you. Events are not sent; once you enable it again, recover what was missed.",
    health: "Health",
    share: "Delivered in 7 days",
    shareOf: (count: string) => `(attempts: ${count})`,
    noAttempts: "No deliveries in 7 days",
    ping: "Last ping or test",
    pingOk: "answered well",
    pingBad: "failed",
    deliveries: "Attempts",
    none: "No attempts yet",
    noneHint: "Send a ping, or wait for the next event.",
  },
})

/** Attempts are no events of the feed, so they are read again by the clock. */
const refreshMillis = 3_000
const stripLength = 100

const Disabled = ({ of }: { readonly of: Endpoint }) => {
  if (of.enabled) return null
  const isAuto = of.disabled_reason === "auto" && of.auto_disabled_at !== null
  return (
    <p class={`webhook-warning ${isAuto ? "bad" : ""}`} data-testid="endpoint-disabled">
      {isAuto ? texts.value.auto(formatMoment(of.auto_disabled_at ?? "")) : texts.value.manual}
    </p>
  )
}

const Overview = ({ of }: { readonly of: Endpoint }) => {
  const { value } = texts
  return (
    <Card>
      <Facts
        of={[
          [value.url, <Foreign>{of.url}</Foreign>],
          [value.status, <Status status={statusOf(of)} testId="endpoint-status" />],
          [value.description, of.description && <Foreign>{of.description}</Foreign>],
          [
            value.events,
            <>
              {eventsText(of)}
              {!of.events.includes("*") && <small class="event-type muted">{of.events.join(", ")}</small>}
            </>,
          ],
          [value.ordering, of.ordering === "resource" && value.ordered],
          [value.secret, value.secretText(of.secret_prefix)],
          [value.since, <Moment at={of.created_at} />],
          [value.id, <Code>{of.id}</Code>],
        ]}
      />
    </Card>
  )
}

const StatsFacts = ({ of }: { readonly of: EndpointStats }) => {
  const { value } = texts
  const share =
    of.success_rate_7d === null ? (
      <span class="muted">{value.noAttempts}</span>
    ) : (
      <>
        <strong>{shareText(of.success_rate_7d, language.value)}</strong>{" "}
        {value.shareOf(formatCount(of.deliveries_7d))}
      </>
    )
  const ping = of.last_ping_at !== null && (
    <>
      <Moment at={of.last_ping_at} />, {of.last_ping_ok ? value.pingOk : value.pingBad}
    </>
  )
  return (
    <Facts
      of={[
        [value.share, share],
        [value.ping, ping || null],
      ]}
    />
  )
}

interface HealthProps {
  readonly id: string
  readonly stats: Resource<EndpointStats>
  readonly newest: List<Delivery>
  readonly onProbed: () => void
}

const Health = ({ id, stats, newest, onProbed }: HealthProps) => (
  <Card title={texts.value.health}>
    <div class="form">
      <Shown of={stats}>{(value) => <StatsFacts of={value} />}</Shown>
      {(newest.value.value?.data.length ?? 0) > 0 && <AttemptStrip of={newest.value.value?.data ?? []} />}
      <Probes id={id} onDone={onProbed} />
    </div>
  </Card>
)

const Attempts = ({ of, status }: { readonly of: List<Delivery>; readonly status: string | undefined }) => (
  <Card
    title={texts.value.deliveries}
    actions={<StatusFilter status={status} onChange={(next) => setQuery({ status: next })} />}
  >
    <Deliveries
      of={of}
      isFiltered={status !== undefined}
      none={texts.value.none}
      noneHint={texts.value.noneHint}
    />
  </Card>
)

/** One endpoint: how well it does, what was sent to it, and what changes it. */
export default ({ params }: PageParams) => {
  const id = params.id ?? ""
  const path = "/v1/me/webhook-deliveries"
  const status = shownStatus()
  const endpoint = useResource(id, (signal) => api.get<Endpoint>(endpointPath(id), {}, { signal }), {
    reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled",
  })
  const stats = useResource(`stats ${id}`, (signal) =>
    api.get<EndpointStats>(`${endpointPath(id)}/stats`, {}, { signal }),
  )
  const attempts = useList<Delivery>(path, { endpoint_id: id, status, limit: 25 })
  const newest = useList<Delivery>(path, { endpoint_id: id, limit: stripLength })
  const shownAlso = [attempts, newest, stats]
  const reload = () => void Promise.all(shownAlso.map((each) => each.reload()))
  useEvery(refreshMillis, () => Promise.all(shownAlso.map((each) => each.refresh())))
  const shown = endpoint.value.value
  return (
    <Page
      title={shown === undefined ? texts.value.title : hostOf(shown.url)}
      ready={isReady(endpoint, attempts)}
      actions={
        <Link to="/webhooks" class="button">
          {texts.value.back}
        </Link>
      }
    >
      <Shown of={endpoint}>
        {(of) => (
          <>
            <Disabled of={of} />
            <Overview of={of} />
            <Health id={id} stats={stats} newest={newest} onProbed={reload} />
            <History id={id} attempts={stats.value.value?.deliveries_7d} />
            <Attempts of={attempts} status={status} />
            {of.ordering === "resource" && <Waiting id={id} />}
            <Maintenance of={of} onChanged={endpoint.set} onRecovered={reload} />
          </>
        )}
      </Shown>
    </Page>
  )
}
