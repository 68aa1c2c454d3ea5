import type { SeriesMetric } from "../../../../schema/api/insights.ts"
import type { Counters } from "../../../../schema/resources/account.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { formatCount, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Icon } from "../../ui/icons.tsx"
import { sumOf } from "../../ui/series.ts"
import { isChargeback, isFailing } from "./figures.ts"
import { type Days, rangeOf } from "./periods.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Precisa de você",
    disputes: (count: number, sum: string) =>
      `${count === 1 ? "1 contestação" : `${formatCount(count)} contestações`} em 7 dias, ${sum}`,
    disabled: (count: number) =>
      count === 1 ? "1 endpoint desativado" : `${formatCount(count)} endpoints desativados`,
    failing: (count: number) =>
      `${count === 1 ? "1 endpoint" : `${formatCount(count)} endpoints`} com muitas falhas em 7 dias`,
    withdrawals: (count: number) =>
      count === 1 ? "1 saque aguarda aprovação" : `${formatCount(count)} saques aguardam aprovação`,
  },
  en: {
    title: "Needs you",
    disputes: (count: number, sum: string) =>
      `${count === 1 ? "1 chargeback" : `${formatCount(count)} chargebacks`} in 7 days, ${sum}`,
    disabled: (count: number) =>
      count === 1 ? "1 endpoint is disabled" : `${formatCount(count)} endpoints are disabled`,
    failing: (count: number) =>
      `${count === 1 ? "1 endpoint" : `${formatCount(count)} endpoints`} with many failures in 7 days`,
    withdrawals: (count: number) =>
      count === 1 ? "1 withdrawal awaits approval" : `${formatCount(count)} withdrawals await approval`,
  },
})

interface EndpointWithRate {
  readonly endpoint: Endpoint
  readonly successRate: number | null
}

/** The feed tells of no attempts, so they are counted again while the page can be seen. */
const everyMillis = 30_000

/** The seller's endpoints, and how their deliveries fare. */
export const useEndpoints = (): Resource<ReadonlyArray<EndpointWithRate>> => {
  const endpoints = useResource<ReadonlyArray<EndpointWithRate>>(
    "endpoints",
    async (signal) => {
      const { data } = await call("GET /v1/me/webhook-endpoints", { signal })
      return Promise.all(
        data.map(async (endpoint) => {
          const params = { id: endpoint.id }
          const stats = await call("GET /v1/me/webhook-endpoints/:id/stats", { params, signal })
          return { endpoint, successRate: stats.success_rate_7d }
        }),
      )
    },
    { reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled" },
  )
  useEvery(everyMillis, endpoints.refresh)
  return endpoints
}

const isAutoDisabled = ({ endpoint }: EndpointWithRate) => endpoint.disabled_reason === "auto"

const isFailingNow = ({ endpoint, successRate }: EndpointWithRate) =>
  isFailing({ isEnabled: endpoint.enabled, isAutoDisabled: false, successRate })

/** A week by its days, after which a chargeback is no news: what is counted and the list that it leads to are of the same days. */
const week = (): Days => rangeOf({ name: "7d" }, today.value)

/** As many as one page of the API has. */
const pageSize = 100

/** What payers' banks took back in a week. */
interface Disputes extends Days {
  readonly count: number
  /** In centavos. */
  readonly amount: number
  /** The charge of the only one, where it is among the newest refunds. */
  readonly chargeId: string | undefined
}

const noDisputes: Disputes = { from: "", to: "", count: 0, amount: 0, chargeId: undefined }

/** The chargebacks of the last week, live. */
export const useDisputes = (): Resource<Disputes> => {
  const { from, to } = week()
  return useResource<Disputes>(
    `disputes ${from} ${to}`,
    async (signal) => {
      const total = async (metric: SeriesMetric) =>
        sumOf((await call("GET /v1/me/series", { query: { metric, from, to, bucket: "day" }, signal })).data)
      const [count, amount] = await Promise.all([total("chargebacks_opened"), total("chargeback_amount")])
      if (count !== 1) return { from, to, count, amount, chargeId: undefined }
      const refunds = await call("GET /v1/me/refunds", { query: { from, to, limit: pageSize }, signal })
      return { from, to, count, amount, chargeId: refunds.data.find(isChargeback)?.transaction_id }
    },
    { reloadsOn: ({ type }) => type === "refund.succeeded" },
  )
}

interface NeedsProps {
  readonly endpoints: Resource<ReadonlyArray<EndpointWithRate>>
  readonly disputes: Resource<Disputes>
  readonly counters: Resource<Counters>
}

const pageOf = (found: ReadonlyArray<EndpointWithRate>): string =>
  found.length === 1 ? `/webhooks/${found[0]?.endpoint.id}` : "/webhooks"

const disputesPage = ({ chargeId, from, to }: Disputes): string =>
  chargeId === undefined ? `/refunds?from=${from}&to=${to}` : `/charges/${chargeId}`

const needsOf = ({ endpoints, disputes, counters }: NeedsProps) => {
  const { value } = texts
  const all = endpoints.value.value ?? []
  const [disabled, failing] = [all.filter(isAutoDisabled), all.filter(isFailingNow)]
  const disputed = disputes.value.value ?? noDisputes
  const awaiting = counters.value.value?.withdrawals.awaiting ?? 0
  return [
    {
      name: "disputes",
      count: disputed.count,
      text: value.disputes(disputed.count, formatMoney(disputed.amount)),
      to: disputesPage(disputed),
    },
    { name: "disabled", count: disabled.length, text: value.disabled(disabled.length), to: pageOf(disabled) },
    { name: "failing", count: failing.length, text: value.failing(failing.length), to: pageOf(failing) },
    { name: "withdrawals", count: awaiting, text: value.withdrawals(awaiting), to: "/withdrawals" },
  ].filter(({ count }) => count > 0)
}

/** What waits for the seller, each with the page where it is dealt with; nothing where nothing does. */
export const Needs = (props: NeedsProps) => {
  const needs = needsOf(props)
  if (needs.length === 0) return null
  return (
    <nav class="needs" aria-label={texts.value.title}>
      <Icon name="alert" />
      <ul>
        {needs.map(({ name, text, to }) => (
          <li key={name}>
            <Link to={to} data-need={name}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
