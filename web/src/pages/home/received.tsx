import type { SeriesMetric } from "../../../../schema/api/insights.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { chargeOf, type FeedEvent } from "../../api/live.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { queryChoice, setQuery } from "../../app/router.tsx"
import { formatCount, formatHour, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { dayOf, nowMillis } from "../../text/today.ts"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Plot } from "../../ui/plot.tsx"
import { sumOf } from "../../ui/series.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money } from "../../ui/values.tsx"
import { Change } from "./change.tsx"
import { isChargeback } from "./figures.ts"
import {
  added,
  type Measure,
  measureOf,
  type Period,
  type PeriodRange,
  periods,
  rangeOf,
  untilNow,
} from "./periods.ts"

const texts = textsOf({
  "pt-BR": {
    period: "Período",
    names: { "1d": "Hoje", "7d": "7 dias", "30d": "30 dias" },
    titles: { "1d": "Hoje", "7d": "Últimos 7 dias", "30d": "Últimos 30 dias" },
    paid: (count: string) => (count === "1" ? "1 paga" : `${count} pagas`),
    // From Sunday to Saturday.
    lastDay: [
      ...["o último domingo", "a última segunda", "a última terça", "a última quarta", "a última quinta"],
      ...["a última sexta", "o último sábado"],
    ],
    until: (day: string, hour: string) => `${day} até ${hour}`,
    daysBefore: (days: number) => `os ${days} dias anteriores`,
    on: (what: string) => `sobre ${what}`,
    nothing: (what: string) => `nada n${what}`,
    plot: { "1d": "Recebido por hora", "7d": "Recebido por dia", "30d": "Recebido por dia" },
    received: "Recebido",
    before: "Período anterior",
  },
  en: {
    period: "Period",
    names: { "1d": "Today", "7d": "7 days", "30d": "30 days" },
    titles: { "1d": "Today", "7d": "Last 7 days", "30d": "Last 30 days" },
    paid: (count: string) => `${count} paid`,
    lastDay: [
      ...["last Sunday", "last Monday", "last Tuesday", "last Wednesday", "last Thursday", "last Friday"],
      "last Saturday",
    ],
    until: (day: string, hour: string) => `${day} until ${hour}`,
    daysBefore: (days: number) => `the ${days} days before`,
    on: (what: string) => `vs ${what}`,
    nothing: (what: string) => (what.startsWith("the") ? `nothing in ${what}` : `nothing ${what}`),
    plot: { "1d": "Received by the hour", "7d": "Received by the day", "30d": "Received by the day" },
    received: "Received",
    before: "Previous period",
  },
})

/** A period's charges, with those of the one that it is compared with. */
export interface Received {
  readonly period: Period
  readonly range: PeriodRange
  readonly readMillis: number
  readonly amount: Measure
  readonly paid: Measure
  readonly created: Measure
}

/** What events do not tell is read again, but never more often. */
const delayMillisMin = 10_000
/** The day begins anew while the page is open, and what was counted from events is counted again. */
const everyMillis = 60_000

/** Reads measures of a period, all as of the same moment. */
const readerOf = (period: Period, signal: AbortSignal) => {
  const readMillis = nowMillis()
  const range = rangeOf(period, dayOf(new Date(readMillis)))
  const { from, to, previousFrom, previousTo, bucket, daysBack } = range
  const read = async (metric: SeriesMetric): Promise<Measure> => {
    const points = async (first: string, last: string, width: "hour" | "day") =>
      (await call("GET /v1/me/series", { query: { metric, from: first, to: last, bucket: width }, signal }))
        .data
    const [now, previous, hours] = await Promise.all([
      points(from, to, bucket),
      points(previousFrom, previousTo, bucket),
      bucket === "day" ? points(previousTo, previousTo, "hour") : undefined,
    ])
    return measureOf(now, previous, hours ?? previous, readMillis - daysBack * dayMillis)
  }
  return { period, range, readMillis, read }
}

const readReceived = async (asked: Period, signal: AbortSignal): Promise<Received> => {
  const { period, range, readMillis, read } = readerOf(asked, signal)
  const [amount, paid, created] = await Promise.all([
    read("paid_amount"),
    read("charges_paid"),
    read("charges_created"),
  ])
  return { period, range, readMillis, amount, paid, created }
}

/** The charges after one was created or paid. */
const receivedWith = (shown: Received, event: FeedEvent): Received | undefined => {
  const charge = chargeOf(event)
  if (charge === undefined) return undefined
  const now = nowMillis()
  return event.type === "transaction.created"
    ? { ...shown, created: added(shown.created, 1, now) }
    : { ...shown, paid: added(shown.paid, 1, now), amount: added(shown.amount, charge.amount, now) }
}

/** What the address asks for. */
export const shownPeriod = (): Period => queryChoice("period", periods) ?? "1d"

/** A period's charges, live. */
export const useReceived = (period: Period): Resource<Received> => {
  const received = useResource<Received>(`received ${period}`, (signal) => readReceived(period, signal), {
    reloadsOn: ({ type }) => type === "transaction.created" || type === "transaction.paid",
    applies: receivedWith,
    delayMillis: delayMillisMin,
  })
  useEvery(everyMillis, received.refresh)
  return received
}

/** What went back to payers in a period and in the one that it is compared with, in centavos. */
export interface Returned {
  readonly refunded: Measure
  readonly disputed: Measure
}

const readReturned = async (period: Period, signal: AbortSignal): Promise<Returned> => {
  const { read } = readerOf(period, signal)
  const [refunded, disputed] = await Promise.all([read("refunded_amount"), read("chargeback_amount")])
  return { refunded, disputed }
}

/** What went back after an event that tells of it. */
const returnedWith = (shown: Returned, { data }: FeedEvent): Returned | undefined => {
  const { object } = data
  if (object.object !== "refund") return undefined
  const name = isChargeback(object) ? "disputed" : "refunded"
  return { ...shown, [name]: added(shown[name], object.amount, nowMillis()) }
}

/** What went back to payers, live. */
export const useReturned = (period: Period): Resource<Returned> => {
  const returned = useResource<Returned>(`returned ${period}`, (signal) => readReturned(period, signal), {
    reloadsOn: ({ type }) => type === "refund.succeeded",
    applies: returnedWith,
    delayMillis: delayMillisMin,
  })
  useEvery(everyMillis, returned.refresh)
  return returned
}

/** What a period is compared with: `a última sexta até 04:55`. */
const comparedText = ({ period, range, readMillis }: Received): string => {
  const { value } = texts
  if (period !== "1d") return value.daysBefore(range.daysBack)
  const weekday = value.lastDay[new Date(`${range.previousTo}T12:00:00Z`).getUTCDay()] ?? ""
  return value.until(weekday, formatHour(new Date(readMillis).toISOString()))
}

const Headline = ({ of }: { readonly of: Received }) => {
  const { value } = texts
  const amount = sumOf(of.amount.points)
  const compared = comparedText(of)
  return (
    <>
      <p class="today-amount">
        <Money amount={amount} testId="received" />
      </p>
      <p class="today-note">
        {value.paid(formatCount(sumOf(of.paid.points)))} ·{" "}
        {of.amount.before === 0 ? (
          value.nothing(compared)
        ) : (
          <>
            <Change now={amount} before={of.amount.before} isGoodUp /> {value.on(compared)}
          </>
        )}
      </p>
    </>
  )
}

/** What came in, and whether that is more than before. */
export const Today = ({ of, period }: { readonly of: Resource<Received>; readonly period: Period }) => {
  const { value } = texts
  return (
    <section class="today" aria-label={value.titles[period]}>
      <div class="today-head">
        <h2>{value.titles[period]}</h2>
        <Chips label={value.period}>
          {periods.map((one) => (
            <Chip
              key={one}
              isPressed={one === period}
              onClick={() => setQuery({ period: one === "1d" ? undefined : one })}
            >
              {value.names[one]}
            </Chip>
          ))}
        </Chips>
      </div>
      <div class="today-figure">
        <Shown of={of} skeleton={<Skeleton lines={2} />} keepsHeight>
          {(shown) => <Headline of={shown} />}
        </Shown>
      </div>
    </section>
  )
}

const plotHeight = 240

const ReceivedPlot = ({ of }: { readonly of: Received }) => {
  const { value } = texts
  const { amount, period } = of
  return (
    <Plot
      label={value.plot[period]}
      bucket={of.range.bucket}
      height={plotHeight}
      valueText={formatMoney}
      series={[
        {
          name: value.before,
          colour: "line-strong",
          shape: "dashed",
          points: amount.points.map(({ at }, index) => ({
            at,
            value: amount.previous[index]?.value ?? null,
          })),
          summary: formatMoney(sumOf(amount.previous)),
        },
        {
          name: value.received,
          colour: "accent",
          shape: "line",
          points: untilNow(amount.points, nowMillis()),
          summary: formatMoney(sumOf(amount.points)),
        },
      ]}
    />
  )
}

/** What came in, over the one before. */
export const ReceivedCard = ({
  of,
  period,
}: {
  readonly of: Resource<Received>
  readonly period: Period
}) => (
  <Card title={texts.value.plot[period]}>
    <Shown of={of} skeleton={<Skeleton height={plotHeight + 28} />} keepsHeight>
      {(shown) => <ReceivedPlot key={shown.period} of={shown} />}
    </Shown>
  </Card>
)
