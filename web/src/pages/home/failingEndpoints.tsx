import type { Counters } from "../../../../schema/resources/account.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { api } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { formatCount, formatPercent } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card, Shown } from "../../ui/page.tsx"
import { Foreign } from "../../ui/values.tsx"
import { isFailing } from "./figures.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Webhooks",
    none: "Nenhum endpoint cadastrado.",
    add: "Cadastrar endpoint",
    good: "Seus endpoints estão recebendo.",
    failed: (count: string) => `Tentativas que falharam em 24 horas: ${count}.`,
    dead: (count: string) => `Entregas esgotadas, sem novas tentativas: ${count}.`,
    rate: (rate: string) => `${rate} de sucesso em 7 dias`,
    disabled: "Desativado depois de muitas falhas",
    all: "Ver todos",
  },
  en: {
    title: "Webhooks",
    none: "There is no endpoint yet.",
    add: "Add endpoint",
    good: "Your endpoints are receiving.",
    failed: (count: string) => `Attempts that failed in 24 hours: ${count}.`,
    dead: (count: string) => `Deliveries given up after their last attempt: ${count}.`,
    rate: (rate: string) => `${rate} success in 7 days`,
    disabled: "Disabled after many failures",
    all: "See all",
  },
})

interface Stats {
  readonly success_rate_7d: number | null
}

interface EndpointWithStats {
  readonly endpoint: Endpoint
  readonly successRate: number | null
}

/** A seller's endpoints, and how their deliveries fare. */
export interface Endpoints {
  readonly all: ReadonlyArray<EndpointWithStats>
  readonly deliveries: Counters["webhook_deliveries"]
}

/** The feed tells of no attempts, so they are counted again while the page can be seen. */
const everyMillis = 15_000

/** How the seller's endpoints fare. */
export const useEndpoints = (): Resource<Endpoints> => {
  const endpoints = useResource<Endpoints>(
    "endpoints",
    async (signal) => {
      const path = "/v1/me/webhook-endpoints"
      const [{ data }, { webhook_deliveries }] = await Promise.all([
        api.get<{ readonly data: ReadonlyArray<Endpoint> }>(path, {}, { signal }),
        api.get<Counters>("/v1/me/counters", {}, { signal }),
      ])
      const all = await Promise.all(
        data.map(async (endpoint) => {
          const stats = await api.get<Stats>(`${path}/${endpoint.id}/stats`, {}, { signal })
          return { endpoint, successRate: stats.success_rate_7d }
        }),
      )
      return { all, deliveries: webhook_deliveries }
    },
    { reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled" },
  )
  useEvery(everyMillis, endpoints.reload)
  return endpoints
}

const failingOf = ({ all }: Endpoints) =>
  all.filter(({ endpoint, successRate }) =>
    isFailing({
      isEnabled: endpoint.enabled,
      isAutoDisabled: endpoint.disabled_reason === "auto",
      successRate,
    }),
  )

const FailingRow = ({ endpoint, successRate }: EndpointWithStats) => (
  <li data-id={endpoint.id}>
    <Link to={`/webhooks/${endpoint.id}`}>
      <Foreign>{endpoint.url}</Foreign>
    </Link>
    <span class="bad">
      {endpoint.disabled_reason === "auto"
        ? texts.value.disabled
        : texts.value.rate(formatPercent(successRate ?? 0))}
    </span>
  </li>
)

/** The endpoints that need attention, or a sentence that none does. */
export const FailingEndpoints = ({ of }: { readonly of: Resource<Endpoints> }) => {
  const { value } = texts
  return (
    <Card title={value.title} actions={<Link to="/webhooks">{value.all}</Link>}>
      <Shown of={of}>
        {(shown) => {
          if (shown.all.length === 0)
            return (
              <p class="muted">
                {value.none} <Link to="/webhooks">{value.add}</Link>
              </p>
            )
          const failing = failingOf(shown)
          const { failed_24h, dead } = shown.deliveries
          return (
            <div class="failing">
              {failing.length === 0 ? (
                <p>{value.good}</p>
              ) : (
                <ul>
                  {failing.map((one) => (
                    <FailingRow key={one.endpoint.id} {...one} />
                  ))}
                </ul>
              )}
              {failed_24h > 0 && <p class="muted">{value.failed(formatCount(failed_24h))}</p>}
              {dead > 0 && <p class="muted">{value.dead(formatCount(dead))}</p>}
            </div>
          )
        }}
      </Shown>
    </Card>
  )
}
