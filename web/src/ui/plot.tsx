import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { theme } from "../app/theme.ts"
import { formatDate, formatDayAndMonth, formatHour, formatMoment } from "../text/format.ts"
import { textsOf } from "../text/i18n.ts"
import { dayOf } from "../text/today.ts"
import type { Drawing } from "./drawing.ts"
import { drawnOf, type PlotSeries } from "./series.ts"
import "../styles/plot.css"

const texts = textsOf({
  "pt-BR": { time: "Horário", day: "Dia", failed: "Não foi possível carregar o gráfico." },
  en: { time: "Time", day: "Day", failed: "The plot could not be loaded." },
})

export type { PlotSeries, Point } from "./series.ts"

interface PlotProps {
  /** What the plot shows, for those who do not see it. */
  readonly label: string
  readonly bucket: "hour" | "day"
  readonly series: ReadonlyArray<PlotSeries>
  /** A value in words, such as money. */
  readonly valueText: (value: number) => string
  /** The same in few characters, for the y axis. Default: as in words. */
  readonly axisText?: (value: number) => string
  /** In pixels. Default: 200. */
  readonly height?: number
  /** Parts of one whole: each bar stands on those of later series. Otherwise all stand on zero. */
  readonly isStacked?: boolean
}

const bucketSeconds = { hour: 3_600, day: 86_400 } as const

const startsOf = (series: ReadonlyArray<PlotSeries>): ReadonlyArray<number> =>
  (series[0]?.points ?? []).map(({ at }) => Date.parse(at) / 1_000)

const shownValue = (value: number | null | undefined, valueText: PlotProps["valueText"]): string =>
  value == null ? "—" : valueText(value)

/** The same values as a table, for screen readers. */
const Values = ({ label, bucket, series, valueText }: PlotProps) => (
  <div class="visually-hidden">
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{bucket === "hour" ? texts.value.time : texts.value.day}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series[0]?.points.map(({ at }, index) => (
          <tr key={at}>
            <th scope="row">{bucket === "hour" ? formatMoment(at) : formatDate(at)}</th>
            {series.map(({ name, points }) => (
              <td key={name}>{shownValue(points[index]?.value, valueText)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Whether its hours are of so many days that they must be told apart. */
const isLong = (series: ReadonlyArray<PlotSeries>): boolean => (series[0]?.points.length ?? 0) > 48

const hourText = (series: ReadonlyArray<PlotSeries>) => (isLong(series) ? formatMoment : formatHour)

/** Names moments on the x axis. Many hours are told by their days, each named once, where it begins. */
const startTextOf = (series: ReadonlyArray<PlotSeries>, bucket: PlotProps["bucket"]) => (seconds: number) => {
  const moment = new Date(seconds * 1_000)
  if (bucket === "day") return formatDayAndMonth(moment.toISOString())
  if (!isLong(series)) return formatHour(moment.toISOString())
  const isMidnight = dayOf(moment) !== dayOf(new Date(moment.getTime() - 1))
  return isMidnight ? formatDayAndMonth(moment.toISOString()) : ""
}

/** Names the colours; while the pointer is on a bucket, says its values. */
const Legend = ({ bucket, series, valueText, at }: PlotProps & { readonly at: number | undefined }) => {
  const start = at === undefined ? undefined : series[0]?.points[at]?.at
  return (
    <p class="plot-legend" aria-hidden="true">
      {series.map(({ name, colour, shape, points, summary }) => {
        const value = at === undefined ? undefined : points[at]?.value
        return (
          <span key={name} data-colour={colour} data-shape={shape}>
            {name} <b>{start === undefined ? summary : shownValue(value, valueText)}</b>
          </span>
        )
      })}
      {start !== undefined && (
        <span class="muted">{bucket === "hour" ? hourText(series)(start) : formatDate(start)}</span>
      )}
    </p>
  )
}

/** Follows the element's width and the device's colours until the returned function is called. */
const follow = (element: HTMLElement, drawing: Drawing): (() => void) => {
  const observer = new ResizeObserver(() => drawing.resize(element.clientWidth))
  observer.observe(element)
  const scheme = matchMedia("(prefers-color-scheme: dark)")
  scheme.addEventListener("change", drawing.repaint)
  return () => {
    observer.disconnect()
    scheme.removeEventListener("change", drawing.repaint)
    drawing.remove()
  }
}

/** Series over time, hour by hour or day by day, in São Paulo's time. The drawing is loaded when the first plot is shown. */
export const Plot = (props: PlotProps) => {
  const element = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  const at = useSignal<number | undefined>(undefined)
  const hasFailed = useSignal(false)

  useEffect(() => {
    let isGone = false
    let leave = () => {}
    const start = async () => {
      const { draw } = await import("./drawing.ts")
      if (isGone || element.current === null) return
      const { series, bucket, height = 200, valueText, axisText = valueText } = latest.current
      drawing.current = draw(element.current, {
        starts: startsOf(series),
        bucketSeconds: bucketSeconds[bucket],
        series: drawnOf(latest.current.series, latest.current.isStacked),
        height,
        valueText: axisText,
        startText: startTextOf(series, bucket),
        onPoint: (index) => {
          at.value = index
        },
      })
      leave = follow(element.current, drawing.current)
    }
    start().catch(() => {
      hasFailed.value = true
    })
    return () => {
      isGone = true
      leave()
      drawing.current = undefined
    }
  }, [])
  useEffect(() => drawing.current?.repaint(), [theme.value])
  useEffect(
    () => drawing.current?.show(startsOf(props.series), drawnOf(props.series, props.isStacked)),
    [props.series],
  )

  return (
    <figure class="plot">
      <Legend {...props} at={at.value} />
      {hasFailed.value ? (
        <p class="muted">{texts.value.failed}</p>
      ) : (
        <div
          class="plot-drawing"
          ref={element}
          style={{ minHeight: `${props.height ?? 200}px` }}
          aria-hidden="true"
        />
      )}
      <Values {...props} />
    </figure>
  )
}
