/** One bucket of `GET /v1/me/series`: `at` is its start. */
export interface Point {
  readonly at: string
  readonly value: number | null
}

/** What a series is drawn as: lines for values, dashed ones for what they are compared with, bars for counts. */
export type Shape = "bars" | "line" | "dashed"

/** A series as it is drawn: its values belong to the buckets of the drawing, in their order. */
export interface DrawnSeries {
  /** A variable of tokens.css, such as `--accent`. */
  readonly colour: string
  readonly shape: Shape
  readonly values: ReadonlyArray<number | null>
}

/** What a plot's colours mean; tokens.css has their values in both themes. */
export type PlotColour = "accent" | "good" | "bad" | "waiting" | "line-strong"

export interface PlotSeries {
  readonly name: string
  readonly colour: PlotColour
  /** Default: bars. Later series are drawn over earlier ones. */
  readonly shape?: Shape
  /** Buckets in order; all series of a plot have the same. */
  readonly points: ReadonlyArray<Point>
  /** Said beside the name while the pointer is on no bucket, such as the sum. */
  readonly summary?: string
}

/**
 * The values that are drawn. Of a stack each series stands on all later ones: its bar is drawn behind theirs, as high as the sum.
 */
export const drawnOf = (series: ReadonlyArray<PlotSeries>, isStacked = false): ReadonlyArray<DrawnSeries> =>
  series.map(({ colour, shape = "bars", points }, index) => ({
    colour: `--${colour}`,
    shape,
    values: points.map(({ value }, bucket) =>
      isStacked
        ? series.slice(index).reduce((sum, part) => sum + (part.points[bucket]?.value ?? 0), 0)
        : value,
    ),
  }))

/** Where the lines of an axis stand from zero on: as few as reach `max`, `stepsMax` steps apart at most, in steps of 1, 2 or 5. */
export const axisTicks = (max: number, stepsMax: number): ReadonlyArray<number> => {
  if (max <= 0) return [0]
  const least = max / stepsMax
  // Counts, centavos and milliseconds have no fractions.
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step)
}

/** The sum of a series. */
export const sumOf = (points: ReadonlyArray<Point>): number =>
  points.reduce((sum, { value }) => sum + (value ?? 0), 0)
