import { useEffect, useState } from "preact/hooks"
import type { SeriesMetric } from "../../../../schema/api/insights.ts"
import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis } from "../../text/spans.ts"
import { nowMillis } from "../../text/today.ts"
import { Select } from "../../ui/form.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Plot, type PlotSeries, type Point } from "../../ui/plot.tsx"
import { sumOf } from "../../ui/series.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Entregas ao longo do tempo",
    range: "Período",
    week: "7 dias, por hora",
    month: "30 dias, por dia",
    outcomes: "Tentativas por resultado",
    good: "Entregues",
    bad: "Falhas",
    latency: "Tempo até a resposta",
    half: "Metade em até",
    most: "95 de 100 em até",
    millis: (count: string) => `${count} ms`,
    none: "Nenhuma tentativa neste período.",
  },
  en: {
    title: "Deliveries over time",
    range: "Period",
    week: "7 days, by the hour",
    month: "30 days, by the day",
    outcomes: "Attempts by outcome",
    good: "Delivered",
    bad: "Failed",
    latency: "Time until the answer",
    half: "Half within",
    most: "95 in 100 within",
    millis: (count: string) => `${count} ms`,
    none: "No attempts in this period.",
  },
})

const ranges = {
  week: { bucket: "hour", hours: 7 * 24 },
  month: { bucket: "day", hours: 30 * 24 },
} as const
type Range = keyof typeof ranges

const refreshMillis = 30_000

/** An hour without attempts has no duration, which is not one of 0 ms. */
const measured = (points: ReadonlyArray<Point>): ReadonlyArray<Point> =>
  points.map(({ at, value }) => ({ at, value: value === 0 ? null : value }))

interface Figures {
  readonly good: ReadonlyArray<Point>
  readonly bad: ReadonlyArray<Point>
  readonly half: ReadonlyArray<Point>
  readonly most: ReadonlyArray<Point>
}

const readFigures = async (id: string, range: Range, signal: AbortSignal): Promise<Figures> => {
  const { bucket, hours } = ranges[range]
  const now = nowMillis()
  const span = {
    from: new Date(now - (hours - (bucket === "day" ? 24 : 1)) * hourMillis).toISOString(),
    to: new Date(now).toISOString(),
  }
  const read = async (metric: SeriesMetric) => {
    const query = { metric, bucket, endpoint_id: id, ...span }
    return (await call("GET /v1/me/series", { query, signal })).data
  }
  const [good, bad, half, most] = await Promise.all([
    read("deliveries_succeeded"),
    read("deliveries_failed"),
    read("delivery_p50"),
    read("delivery_p95"),
  ])
  return { good, bad, half: measured(half), most: measured(most) }
}

const Plots = ({ of, range }: { readonly of: Figures; readonly range: Range }) => {
  const { value } = texts
  const { bucket } = ranges[range]
  if (sumOf(of.good) + sumOf(of.bad) === 0) return <p class="muted">{value.none}</p>
  const counted = (name: string, colour: "good" | "bad", points: ReadonlyArray<Point>): PlotSeries => ({
    ...{ name, colour, points, summary: formatCount(sumOf(points)) },
  })
  return (
    <div class="form">
      <h3>{value.outcomes}</h3>
      <Plot
        key={`outcomes ${range}`}
        label={value.outcomes}
        bucket={bucket}
        height={160}
        valueText={formatCount}
        isStacked
        series={[counted(value.good, "good", of.good), counted(value.bad, "bad", of.bad)]}
      />
      <h3>{value.latency}</h3>
      <Plot
        key={`latency ${range}`}
        label={value.latency}
        bucket={bucket}
        height={160}
        valueText={(millis) => value.millis(formatCount(millis))}
        series={[
          { name: value.most, colour: "line-strong", points: of.most },
          { name: value.half, colour: "accent", points: of.half },
        ]}
      />
    </div>
  )
}

interface HistoryProps {
  readonly id: string
  /** How many attempts there are: what is plotted is read again when others come. */
  readonly attempts: number | undefined
}

/** How an endpoint has done over a week or a month. */
export const History = ({ id, attempts }: HistoryProps) => {
  const [range, setRange] = useState<Range>("week")
  const figures = useResource(`history ${id} ${range}`, (signal) => readFigures(id, range, signal))
  useEvery(refreshMillis, figures.refresh)
  useEffect(() => {
    // Not `refresh`, which does nothing while it is being read, perhaps from before the newest attempt.
    if (attempts !== undefined) void figures.reload()
  }, [attempts])
  const { value } = texts
  return (
    <Card
      title={value.title}
      actions={
        <Select
          label={value.range}
          value={range}
          data-testid="history-range"
          onChange={(event) => setRange(event.currentTarget.value === "month" ? "month" : "week")}
        >
          <option value="week">{value.week}</option>
          <option value="month">{value.month}</option>
        </Select>
      }
    >
      <Shown of={figures}>{(shown) => <Plots of={shown} range={range} />}</Shown>
    </Card>
  )
}
