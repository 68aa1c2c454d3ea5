import type { Counters } from "../../../../schema/resources/account.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { type Resource, useRead, useResource } from "../../api/resource.ts"
import type { Page } from "../../api/routes.ts"
import { Link } from "../../app/router.tsx"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { dayBefore, nowMillis, today } from "../../text/today.ts"
import { Icon } from "../../ui/icons.tsx"
import { isChargeback, isFailing } from "./figures.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Precisa de você",
    disputes: (count: number) =>
      count === 1 ? "1 contestação em 7 dias" : `${formatCount(count)} contestações em 7 dias`,
    disabled: (count: number) =>
      count === 1 ? "1 endpoint desativado" : `${formatCount(count)} endpoints desativados`,
    failing: (count: number) =>
      count === 1 ? "1 endpoint falhando" : `${formatCount(count)} endpoints falhando`,
    withdrawals: (count: number) =>
      count === 1 ? "1 saque aguarda aprovação" : `${formatCount(count)} saques aguardam aprovação`,
  },
  en: {
    title: "Needs you",
    disputes: (count: number) =>
      count === 1 ? "1 chargeback in 7 days" : `${formatCount(count)} chargebacks in 7 days`,
    disabled: (count: number) =>
      count === 1 ? "1 endpoint is disabled" : `${formatCount(count)} endpoints are disabled`,
    failing: (count: number) =>
      count === 1 ? "1 endpoint is failing" : `${formatCount(count)} endpoints are failing`,
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

/** A week, after which a chargeback is no news. */
const freshMillis = 7 * dayMillis

/** As many as one page of the API has. */
const pageSize = 100

/** The refunds of the last week. */
export const useRefunds = (): Resource<Page<Refund>> =>
  useRead(
    "GET /v1/me/refunds",
    { query: { from: dayBefore(today.value, 7), limit: pageSize } },
    { reloadsOn: ({ type }) => type.startsWith("refund.") },
  )

interface NeedsProps {
  readonly endpoints: Resource<ReadonlyArray<EndpointWithRate>>
  /** Those of the last week, at least. */
  readonly refunds: Resource<Page<Refund>>
  readonly counters: Resource<Counters>
}

const pageOf = (found: ReadonlyArray<EndpointWithRate>): string =>
  found.length === 1 ? `/webhooks/${found[0]?.endpoint.id}` : "/webhooks"

const needsOf = ({ endpoints, refunds, counters }: NeedsProps) => {
  const { value } = texts
  const all = endpoints.value.value ?? []
  const [disabled, failing] = [all.filter(isAutoDisabled), all.filter(isFailingNow)]
  const disputes = (refunds.value.value?.data ?? []).filter(
    (refund) => isChargeback(refund) && Date.parse(refund.created_at) > nowMillis() - freshMillis,
  )
  const awaiting = counters.value.value?.withdrawals.awaiting ?? 0
  const [dispute] = disputes
  const disputesPage =
    disputes.length === 1 && dispute !== undefined
      ? `/charges/${dispute.transaction_id}`
      : "/charges?status=chargeback"
  return [
    { name: "disputes", count: disputes.length, text: value.disputes, to: disputesPage },
    { name: "disabled", count: disabled.length, text: value.disabled, to: pageOf(disabled) },
    { name: "failing", count: failing.length, text: value.failing, to: pageOf(failing) },
    { name: "withdrawals", count: awaiting, text: value.withdrawals, to: "/withdrawals" },
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
        {needs.map(({ name, count, text, to }) => (
          <li key={name}>
            <Link to={to} data-need={name}>
              {text(count)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
