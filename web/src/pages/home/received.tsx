import type { SeriesMetric } from "../../../../schema/api/insights.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { chargeOf, type FeedEvent } from "../../api/live.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { query, queryChoice, setQuery } from "../../app/router.tsx"
import { formatCount, formatHour, formatMoney, formatMoneyInShort } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { aheadMillis, dayOf, nowMillis, today } from "../../text/today.ts"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Field } from "../../ui/form.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { readPeriod } from "../../ui/period.ts"
import { Plot } from "../../ui/plot.tsx"
import { sumOf } from "../../ui/series.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Money } from "../../ui/values.tsx"
import { Change } from "./change.tsx"
import { isChargeback } from "./figures.ts"
import {
  added,
  chosenDays,
  type Days,
  type Measure,
  measureOf,
  movedDays,
  type Period,
  type PeriodName,
  type PeriodRange,
  periodNames,
  rangeOf,
  untilNow,
} from "./periods.ts"

const texts = textsOf({
  "pt-BR": {
    period: "Período",
    names: { "1d": "Hoje", "7d": "7 dias", "30d": "30 dias", custom: "Personalizado" },
    titles: {
      ...{ "1d": "Recebido hoje", "7d": "Recebido em 7 dias", "30d": "Recebido em 30 dias" },
      custom: "Recebido no período",
    },
    ends: { from: "De", to: "Até" },
    paid: (count: string) => (count === "1" ? "1 paga" : `${count} pagas`),
    // From Sunday to Saturday.
    lastDay: [
      ...["o último domingo", "a última segunda", "a última terça", "a última quarta", "a última quinta"],
      ...["a última sexta", "o último sábado"],
    ],
    until: (day: string, hour: string) => `${day} até ${hour}`,
    daysBefore: (days: number) => (days === 1 ? "o dia anterior" : `os ${days} dias anteriores`),
    notCompared: "o período anterior não é mais guardado",
    on: (what: string) => `sobre ${what}`,
    nothing: (what: string) => `nada n${what}`,
    plot: { hour: "Recebido por hora", day: "Recebido por dia" },
    received: "Recebido",
    before: "Período anterior",
  },
  en: {
    period: "Period",
    names: { "1d": "Today", "7d": "7 days", "30d": "30 days", custom: "Custom" },
    titles: {
      ...{ "1d": "Received today", "7d": "Received in 7 days", "30d": "Received in 30 days" },
      custom: "Received in the period",
    },
    ends: { from: "From", to: "To" },
    paid: (count: string) => `${count} paid`,
    lastDay: [
      ...["last Sunday", "last Monday", "last Tuesday", "last Wednesday", "last Thursday", "last Friday"],
      "last Saturday",
    ],
    until: (day: string, hour: string) => `${day} until ${hour}`,
    daysBefore: (days: number) => (days === 1 ? "the day before" : `the ${days} days before`),
    notCompared: "the period before is no longer kept",
    on: (what: string) => `vs ${what}`,
    nothing: (what: string) => (what.startsWith("the") ? `nothing in ${what}` : `nothing ${what}`),
    plot: { hour: "Received by the hour", day: "Received by the day" },
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
  const { from, to, previousFrom, previousTo, bucket, daysBack, isOpen, isCompared } = range
  const read = async (metric: SeriesMetric): Promise<Measure> => {
    const points = async (first: string, last: string, width: "hour" | "day") =>
      (await call("GET /v1/me/series", { query: { metric, from: first, to: last, bucket: width }, signal }))
        .data
    const [now, previous, hours] = await Promise.all([
      points(from, to, bucket),
      isCompared ? points(previousFrom, previousTo, bucket) : [],
      isCompared && isOpen && bucket === "day" ? points(previousTo, previousTo, "hour") : undefined,
    ])
    if (!isOpen) return { points: now, previous, before: sumOf(previous) }
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
  if (!shown.range.isOpen) return shown
  const charge = chargeOf(event)
  if (charge === undefined) return undefined
  const now = nowMillis()
  return event.type === "transaction.created"
    ? { ...shown, created: added(shown.created, 1, now) }
    : { ...shown, paid: added(shown.paid, 1, now), amount: added(shown.amount, charge.amount, now) }
}

/** What the address asks for. */
export const shownPeriod = (): Period => {
  const name = queryChoice("period", periodNames) ?? "1d"
  return name === "custom" ? { name, ...chosenDays(readPeriod(query.value), today.value) } : { name }
}

/** Tells what is read apart: a period, by a clock that a page begins without. */
const keyOf = (period: Period): string => {
  const days = period.name === "custom" ? `${period.from} ${period.to}` : period.name
  return `${days} ${aheadMillis.value}`
}

/** A period's charges, live. */
export const useReceived = (period: Period): Resource<Received> => {
  const received = useResource<Received>(
    `received ${keyOf(period)}`,
    (signal) => readReceived(period, signal),
    {
      reloadsOn: ({ type }) => type === "transaction.created" || type === "transaction.paid",
      applies: receivedWith,
      delayMillis: delayMillisMin,
    },
  )
  useEvery(everyMillis, received.refresh)
  return received
}

/** What went back to payers in a period and in the one that it is compared with, in centavos. */
export interface Returned {
  /** Whether the period lasts until now. */
  readonly isOpen: boolean
  readonly refunded: Measure
  readonly disputed: Measure
}

const readReturned = async (period: Period, signal: AbortSignal): Promise<Returned> => {
  const { range, read } = readerOf(period, signal)
  const [refunded, disputed] = await Promise.all([read("refunded_amount"), read("chargeback_amount")])
  return { isOpen: range.isOpen, refunded, disputed }
}

/** What went back after an event that tells of it. */
const returnedWith = (shown: Returned, { data }: FeedEvent): Returned | undefined => {
  if (!shown.isOpen) return shown
  const { object } = data
  if (object.object !== "refund") return undefined
  const name = isChargeback(object) ? "disputed" : "refunded"
  return { ...shown, [name]: added(shown[name], object.amount, nowMillis()) }
}

/** What went back to payers, live. */
export const useReturned = (period: Period): Resource<Returned> => {
  const returned = useResource<Returned>(
    `returned ${keyOf(period)}`,
    (signal) => readReturned(period, signal),
    {
      reloadsOn: ({ type }) => type === "refund.succeeded",
      applies: returnedWith,
      delayMillis: delayMillisMin,
    },
  )
  useEvery(everyMillis, returned.refresh)
  return returned
}

/** What a period is compared with: `a última sexta até 04:55`. */
const comparedText = ({ period, range, readMillis }: Received): string => {
  const { value } = texts
  if (period.name !== "1d") return value.daysBefore(range.daysBack)
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
          of.range.isCompared ? (
            value.nothing(compared)
          ) : (
            value.notCompared
          )
        ) : (
          <>
            <Change now={amount} before={of.amount.before} isGoodUp /> {value.on(compared)}
          </>
        )}
      </p>
    </>
  )
}

/** The two ends of a chosen period. */
const ChosenDays = ({ days }: { readonly days: Days }) => (
  <div class="today-dates">
    {(["from", "to"] as const).map((end) => (
      <Field
        key={end}
        label={texts.value.ends[end]}
        type="date"
        value={days[end]}
        max={today.value}
        onChange={({ currentTarget: { value } }) => {
          if (value !== "") setQuery({ ...movedDays(days, end, value, today.value) })
        }}
        required
      />
    ))}
  </div>
)

const choose = (name: PeriodName, shown: Period): void => {
  const { from, to } = rangeOf(shown, today.value)
  setQuery({
    period: name === "1d" ? undefined : name,
    from: name === "custom" ? from : undefined,
    to: name === "custom" ? to : undefined,
  })
}

/** What came in, and whether that is more than before. */
export const Today = ({ of, period }: { readonly of: Resource<Received>; readonly period: Period }) => {
  const { value } = texts
  return (
    <section class="today" aria-label={value.titles[period.name]}>
      <div class="today-head">
        <h2>{value.titles[period.name]}</h2>
        <Chips label={value.period}>
          {periodNames.map((name) => (
            <Chip key={name} isPressed={name === period.name} onClick={() => choose(name, period)}>
              {value.names[name]}
            </Chip>
          ))}
        </Chips>
      </div>
      {period.name === "custom" && <ChosenDays days={period} />}
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
  const { amount, range } = of
  return (
    <Plot
      label={value.plot[range.bucket]}
      bucket={range.bucket}
      height={plotHeight}
      valueText={formatMoney}
      axisText={formatMoneyInShort}
      series={[
        ...(range.isCompared
          ? [
              {
                name: value.before,
                colour: "line-strong",
                shape: "dashed",
                points: amount.points.map(({ at }, index) => ({
                  at,
                  value: amount.previous[index]?.value ?? null,
                })),
                summary: formatMoney(sumOf(amount.previous)),
              } as const,
            ]
          : []),
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
  <Card title={texts.value.plot[rangeOf(period, today.value).bucket]}>
    <Shown of={of} skeleton={<Skeleton height={plotHeight + 28} />} keepsHeight>
      {(shown) => <ReceivedPlot key={keyOf(shown.period)} of={shown} />}
    </Shown>
  </Card>
)
