import { describe, expect, it } from "vitest"
import { drawnOf, type PlotSeries } from "../../web/src/ui/series.ts"

const seriesOf = (name: string, values: ReadonlyArray<number | null>): PlotSeries => ({
  name,
  colour: "good",
  points: values.map((value, index) => ({ at: `2026-11-0${index + 1}T03:00:00.000Z`, value })),
})
const parts = [seriesOf("delivered", [2, 0, null]), seriesOf("failed", [6, 1, null])]

describe("the bars of a plot", () => {
  it("the bars of a stack stand on those drawn over them, so that none hides another", () => {
    expect(drawnOf(parts, true).map(({ values }) => values)).toEqual([
      [8, 1, 0],
      [6, 1, 0],
    ])
  })

  it("the bars of a plot without a stack all stand on zero", () => {
    expect(drawnOf(parts).map(({ values }) => values)).toEqual([
      [2, 0, null],
      [6, 1, null],
    ])
  })
})
