import { describe, expect, it } from "vitest"
import { axisTicks, drawnOf, type PlotSeries } from "../../web/src/ui/series.ts"

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

describe("the axis of a plot", () => {
  it.each([
    [0, [0]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [11, [0, 5, 10, 15]],
    [72_326, [0, 20_000, 40_000, 60_000, 80_000]],
    [80_000, [0, 20_000, 40_000, 60_000, 80_000]],
    [80_001, [0, 50_000, 100_000]],
  ])("reaches %d by even steps", (max, ticks) => {
    expect(axisTicks(max, 4)).toEqual(ticks)
  })
})
