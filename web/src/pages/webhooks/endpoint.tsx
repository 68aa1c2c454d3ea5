import "../../styles/webhooks.css"
import { useState } from "preact/hooks"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { type List, type Resource, useList, useRead } from "../../api/resource.ts"
import { Link, type PageParams, queryChoice, setQuery } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { aheadMillis } from "../../text/today.ts"
import { lazily } from "../../ui/lazily.tsx"
import { Card, Facts, FirstRead, isReady, Page, Shown } from "../../ui/page.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Code, Moment, Status } from "../../ui/values.tsx"
import { AttemptStrip } from "./attemptStrip.tsx"
import { shareText, shortOutcomeText } from "./attempts.ts"
import { Address } from "./deliveryParts.tsx"
import { DisabledBanner } from "./disabledBanner.tsx"
import { type EndpointStats, eventsText, nameOf, statusOf } from "./endpointFacts.ts"
import { History } from "./history.tsx"
import { Probes } from "./probes.tsx"
import { lastFailureOf } from "./rules.ts"
import { Waiting } from "./waiting.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Endpoint",
    back: "Webhooks",
    url: "Endereço",
    events: "Eventos",
    description: "Descrição",
    ordering: "Ordem",
    ordered: "Por recurso: um evento espera o anterior",
    since: "Criado em",
    id: "Id",
    secret: "Segredo",
    secretText: (prefix: string) => `${prefix}… (mostrado só ao criar ou trocar)`,
    health: "Saúde",
    share: "Sucesso em 7 dias",
    shareOf: (count: string) => (count === "1" ? "de 1 tentativa" : `de ${count} tentativas`),
    noAttempts: "Sem entregas em 7 dias",
    failure: "Última falha",
    failureLink: "Ver a tentativa",
    ping: "Último ping ou teste",
    pingOk: "respondeu bem",
    pingBad: "falhou",
    parts: "Partes do endpoint",
    overview: "Visão geral",
    deliveries: "Entregas",
    settings: "Configuração",
    realClock:
      "Criação, desativação e último ping deste endpoint estão na hora real; as tentativas de entrega seguem o relógio de teste.",
  },
  en: {
    title: "Endpoint",
    back: "Webhooks",
    url: "Address",
    events: "Events",
    description: "Description",
    ordering: "Order",
    ordered: "By resource: an event waits for the one before it",
    since: "Created",
    id: "Id",
    secret: "Secret",
    secretText: (prefix: string) => `${prefix}… (shown only when made or replaced)`,
    health: "Health",
    share: "Success in 7 days",
    shareOf: (count: string) => (count === "1" ? "of 1 attempt" : `of ${count} attempts`),
    noAttempts: "No deliveries in 7 days",
    failure: "Last failure",
    failureLink: "See the attempt",
    ping: "Last ping or test",
    pingOk: "answered well",
    pingBad: "failed",
    parts: "Parts of the endpoint",
    overview: "Overview",
    deliveries: "Deliveries",
    settings: "Settings",
    realClock:
      "When this endpoint was made, disabled and last pinged is told in true time; its delivery attempts follow the test clock.",
  },
})

const LazyDeliveryList = lazily(async () => (await import("./deliveryList.tsx")).DeliveryList, FirstRead)
const LazyMaintenance = lazily(async () => (await import("./maintenance.tsx")).Maintenance, FirstRead)

/** Attempts are no events of the feed, so they are read again by the clock. */
const refreshMillis = 3_000
const stripLength = 100

const EndpointFacts = ({ of }: { readonly of: Endpoint }) => {
  const { value } = texts
  return (
    <Card>
      <Facts
        of={[
          [value.url, <Address>{of.url}</Address>],
          [value.description, of.description && <Address>{of.description}</Address>],
          [
            value.events,
            <>
              {eventsText(of)}
              {!of.events.includes("*") && <small class="second-line">{of.events.join(", ")}</small>}
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

/** Why the endpoint failed last: what it answered, and when; attempts that were never sent say nothing of that. */
const LastFailure = ({ of }: { readonly of: Delivery }) => (
  <>
    <span class="bad">{shortOutcomeText(of)}</span>, <Moment at={of.created_at} />{" "}
    <Link to={`/deliveries/${of.id}`} data-testid="last-failure">
      {texts.value.failureLink}
    </Link>
  </>
)

interface StatsProps {
  readonly of: EndpointStats
  readonly failure: Delivery | undefined
}

const StatsFacts = ({ of, failure }: StatsProps) => {
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
        [value.failure, failure && <LastFailure of={failure} />],
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
      <Shown of={stats}>
        {(value) => <StatsFacts of={value} failure={lastFailureOf(newest.value.value?.data ?? [])} />}
      </Shown>
      {(newest.value.value?.data.length ?? 0) > 0 && <AttemptStrip of={newest.value.value?.data ?? []} />}
      <Probes id={id} onDone={onProbed} />
    </div>
  </Card>
)

const tabs = ["overview", "deliveries", "settings"] as const

interface PartsProps {
  readonly endpoint: Resource<Endpoint>
  readonly of: Endpoint
  readonly stats: Resource<EndpointStats>
  readonly onListed: () => void
}

const Parts = ({ endpoint, of, stats, onListed }: PartsProps) => {
  const newest = useList("GET /v1/me/webhook-deliveries", {
    query: { endpoint_id: of.id, limit: stripLength },
  })
  const shownAlso = [newest, stats]
  const reload = () => void Promise.all(shownAlso.map((each) => each.reload()))
  useEvery(refreshMillis, () => Promise.all(shownAlso.map((each) => each.refresh())))
  const { value } = texts
  const tab = queryChoice("tab", tabs) ?? "overview"
  // The banner and the strip of attempts are there or not: nothing is shown above which they would appear.
  if (!isReady(newest, stats)) return <FirstRead />
  const content = {
    overview: () => (
      <>
        <Health id={of.id} stats={stats} newest={newest} onProbed={reload} />
        <History id={of.id} attempts={stats.value.value?.deliveries_7d} />
        {of.ordering === "resource" && <Waiting id={of.id} />}
      </>
    ),
    deliveries: () => <LazyDeliveryList endpointId={of.id} isSendable={of.enabled} onReady={onListed} />,
    settings: () => (
      <>
        <EndpointFacts of={of} />
        <LazyMaintenance of={of} onChanged={endpoint.set} onRecovered={reload} />
      </>
    ),
  }
  return (
    <>
      {aheadMillis.value > 0 && (
        <p class="muted" data-testid="real-clock">
          {value.realClock}
        </p>
      )}
      <DisabledBanner
        of={of}
        newestId={newest.value.value?.data[0]?.id}
        onProbed={reload}
        onChanged={endpoint.set}
        onRecovered={reload}
      />
      <Tabs
        label={value.parts}
        tabs={tabs.map((name) => [name, value[name]] as const)}
        chosen={tab}
        onChoose={(name) => setQuery({ tab: name === "overview" ? undefined : name, delivery: undefined })}
      >
        {content[tab]()}
      </Tabs>
    </>
  )
}

/** One endpoint: how well it does, what was sent to it, and what changes it. */
export default ({ params }: PageParams) => {
  const id = params.id ?? ""
  const [isListed, setListed] = useState(queryChoice("tab", tabs) !== "deliveries")
  const endpoint = useRead(
    "GET /v1/me/webhook-endpoints/:id",
    { params: { id } },
    {
      reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled",
    },
  )
  const stats = useRead("GET /v1/me/webhook-endpoints/:id/stats", { params: { id } })
  const shown = endpoint.value.value
  const isFailed = endpoint.error.value !== undefined
  return (
    <Page
      title={shown === undefined ? texts.value.title : nameOf(shown)}
      ready={isReady(endpoint) && (isListed || isFailed)}
      back={{ to: "/webhooks", name: texts.value.back }}
      actions={shown !== undefined && <Status status={statusOf(shown)} testId="endpoint-status" />}
    >
      <Shown of={endpoint}>
        {(of) => <Parts endpoint={endpoint} of={of} stats={stats} onListed={() => setListed(true)} />}
      </Shown>
    </Page>
  )
}
