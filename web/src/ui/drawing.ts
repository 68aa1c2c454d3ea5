import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { axisTicks, type DrawnSeries } from "./series.ts"

export interface DrawingOptions {
  /** Starts of the buckets, in seconds since 1970. */
  readonly starts: ReadonlyArray<number>
  readonly bucketSeconds: number
  readonly series: ReadonlyArray<DrawnSeries>
  readonly height: number
  /** How the y axis names a value. */
  readonly valueText: (value: number) => string
  /** How the x axis names the start of a bucket, in seconds since 1970. */
  readonly startText: (seconds: number) => string
  /** Told the bucket under the pointer; undefined when there is none. */
  readonly onPoint: (bucket: number | undefined) => void
}

/** A drawing in the document. */
export interface Drawing {
  /** Shows other values of the same series. */
  readonly show: (starts: ReadonlyArray<number>, series: ReadonlyArray<DrawnSeries>) => void
  readonly resize: (width: number) => void
  /** Draws again in the colours of now. */
  readonly repaint: () => void
  readonly remove: () => void
}

const colourOf = ({ root }: uPlot, name: string): string =>
  getComputedStyle(root).getPropertyValue(name).trim()

const timeZone = "America/Sao_Paulo"
const font = "12px system-ui, sans-serif"
const bars = uPlot.paths.bars?.({ size: [0.7, 36], align: 1, radius: 0.15 })
const yAxisWidth = 64
/** Between lines of the y axis, and what of the height is not for them. */
const yStepMin = 36
const yBesides = 44

const valuesOf = (of: uPlot.AlignedData[number]): ReadonlyArray<number> =>
  [...of].filter((value) => value != null)

const dataOf = (starts: ReadonlyArray<number>, series: ReadonlyArray<DrawnSeries>): uPlot.AlignedData => [
  [...starts],
  ...series.map(({ values }) => [...values]),
]

/** A line of one value would not be seen: it has a dot. */
const isAlone = (plot: uPlot, index: number): boolean =>
  [...(plot.data[index] ?? [])].filter((value) => value != null).length === 1

const seriesOf = ({ colour, shape }: DrawnSeries): uPlot.Series => {
  const stroke = (plot: uPlot) => colourOf(plot, colour)
  if (shape === "bars" && bars !== undefined)
    return { stroke, points: { show: false }, width: 0, fill: stroke, paths: bars }
  return {
    stroke,
    points: { show: isAlone, size: 6, fill: stroke },
    width: 2,
    ...(shape === "dashed" ? { dash: [5, 5] } : {}),
  }
}

const axisOf = (values: (texts: ReadonlyArray<number>) => Array<string>): uPlot.Axis => ({
  font,
  stroke: (plot) => colourOf(plot, "--ink-muted"),
  grid: { stroke: (plot) => colourOf(plot, "--line"), width: 1 },
  ticks: { show: false },
  values: (_plot, splits) => values(splits),
})

/** The lines of the y axis up to the highest value, or the one at zero where nothing is higher. */
const yTicks = ({ height }: DrawingOptions, highest: number): Array<number> => [
  ...axisTicks(highest, Math.max(1, Math.floor((height - yBesides) / yStepMin))),
]

const optionsOf = (options: DrawingOptions, width: number): uPlot.Options => ({
  width,
  height: options.height,
  legend: { show: false },
  // Days begin at midnight in São Paulo, wherever the browser is.
  tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
  cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
  scales: {
    x: { time: true, range: (_plot, from, to) => [from, to + options.bucketSeconds] },
    y: { range: (_plot, _from, to) => [0, yTicks(options, to).at(-1) || 1] },
  },
  axes: [
    { ...axisOf((splits) => splits.map(options.startText)), grid: { show: false }, size: 28, space: 56 },
    {
      ...axisOf((splits) => splits.map(options.valueText)),
      splits: (plot) => yTicks(options, Math.max(0, ...plot.data.slice(1).flatMap(valuesOf))),
      size: yAxisWidth,
    },
  ],
  series: [{}, ...options.series.map(seriesOf)],
  hooks: {
    setCursor: [(plot) => options.onPoint(plot.cursor.idx ?? undefined)],
  },
})

/** Draws series over time into an element. */
export const draw = (element: HTMLElement, options: DrawingOptions): Drawing => {
  const plot = new uPlot(
    optionsOf(options, element.clientWidth),
    dataOf(options.starts, options.series),
    element,
  )
  return {
    show: (starts, series) => plot.setData(dataOf(starts, series)),
    resize: (width) => plot.setSize({ width, height: options.height }),
    repaint: () => plot.redraw(),
    remove: () => plot.destroy(),
  }
}
