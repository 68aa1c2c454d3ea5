import { useEvery } from "../../api/every.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import { formatCount, formatHour } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { type Point, sumOf } from "../../ui/series.ts"

const texts = textsOf({
  "pt-BR": {
    label: (good: string, bad: string) => `Últimas 24 horas: ${good} entregues, ${bad} falhas`,
    hour: (hour: string, good: string, bad: string) => `${hour}: ${good} entregues, ${bad} falhas`,
  },
  en: {
    label: (good: string, bad: string) => `Last 24 hours: ${good} delivered, ${bad} failures`,
    hour: (hour: string, good: string, bad: string) => `${hour}: ${good} delivered, ${bad} failures`,
  },
})

/** An endpoint's attempts of the last 24 hours, by the hour. */
export interface Day {
  readonly good: ReadonlyArray<Point>
  readonly bad: ReadonlyArray<Point>
  /** The share that was received, 0 to 1; undefined without attempts. */
  readonly share: number | undefined
  readonly failures: number
}

/** Attempts are no events of the feed, so they are counted again by the clock. */
const refreshMillis = 10_000

/** How an endpoint has done in the last 24 hours. */
export const useDay = (id: string): Resource<Day> => {
  const day = useResource<Day>(`day ${id}`, async (signal) => {
    const read = async (metric: "deliveries_succeeded" | "deliveries_failed") =>
      (await call("GET /v1/me/series", { query: { metric, bucket: "hour", endpoint_id: id }, signal })).data
    const [good, bad] = await Promise.all([read("deliveries_succeeded"), read("deliveries_failed")])
    const failures = sumOf(bad)
    const all = sumOf(good) + failures
    return { good, bad, failures, share: all === 0 ? undefined : sumOf(good) / all }
  })
  useEvery(refreshMillis, day.refresh)
  return day
}

const barWidth = 8
const height = 32
/** What an hour without attempts has, so that the day is seen as one. */
const emptyHeight = 2

/** 24 bars, an hour each: failures stand on what was received. Undefined while it is being read, which takes the same room. */
export const HourStrip = ({ of }: { readonly of: Day | undefined }) => {
  const { value } = texts
  const hours = of?.good.map(({ at, value: good }, index) => ({
    at,
    good: good ?? 0,
    bad: of.bad[index]?.value ?? 0,
  }))
  const most = Math.max(1, ...(hours ?? []).map(({ good, bad }) => good + bad))
  const share = (count: number) => (count === 0 ? 0 : Math.max(3, (count / most) * height))
  return (
    <svg
      class="hour-strip"
      role="img"
      aria-label={of === undefined ? "…" : value.label(formatCount(sumOf(of.good)), formatCount(of.failures))}
      viewBox={`0 0 ${24 * barWidth} ${height}`}
      preserveAspectRatio="none"
    >
      {hours?.map(({ at, good, bad }, index) => {
        const box = { x: index * barWidth + 1, width: barWidth - 2 }
        return (
          <g key={at}>
            <title>{value.hour(formatHour(at), formatCount(good), formatCount(bad))}</title>
            {good + bad === 0 && <rect class="none" {...box} y={height - emptyHeight} height={emptyHeight} />}
            <rect class="good" {...box} y={height - share(good)} height={share(good)} />
            <rect
              class="bad"
              {...box}
              y={Math.max(0, height - share(good) - share(bad))}
              height={share(bad)}
            />
          </g>
        )
      })}
    </svg>
  )
}
