import { describe, expect, it } from "vitest"
import { Histogram } from "../../actors/metrics/histogram.ts"
import { expositionOf } from "../../src/scrape/exposition.ts"
import { mergeReports, totalsOf } from "../../src/scrape/merge.ts"
import type { Series } from "../../src/scrape/series.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"

const value = (kind: "counter" | "gauge", name: string, number: number, labels = {}): Series => ({
  ...{ kind, name, labels, description: "a metric", value: number },
})
const histogram = (name: string, ...values: ReadonlyArray<number>): Series => {
  const recorded = new Histogram([1, 2])
  for (const each of values) recorded.record(each)
  return { kind: "histogram", name, labels: {}, description: "a histogram", ...recorded.state }
}

describe("a histogram", () => {
  it("a histogram counts a value at a bound below it, and one past it above", () => {
    const { buckets, count, sum } = histogram("h", 1, 1.001, 2, 2.001) as Extract<
      Series,
      { kind: "histogram" }
    >
    expect({ buckets, count }).toEqual({
      buckets: [
        [1, 1],
        [2, 3],
      ],
      count: 4,
    })
    expect(sum).toBeCloseTo(6.002)
  })
})

describe("merged reports", () => {
  it("merged reports add counters, histograms and gauges of the same labels", () => {
    const one = [
      value("counter", "c_total", 2, { a: "x", b: "y" }),
      value("gauge", "g", 3),
      histogram("h", 1),
    ]
    const two = [
      value("gauge", "g", 4),
      value("counter", "c_total", 5, { b: "y", a: "x" }),
      histogram("h", 2, 3),
    ]
    const families = parseExposition(expositionOf(mergeReports([one, two])))
    expect(valueOf(families, "c_total")).toBe(7)
    expect(valueOf(families, "g")).toBe(7)
    expect(families.get("h")?.samples.map(({ value: number }) => number)).toEqual([1, 2, 3, 6, 3])
  })

  it("merged reports keep series of other labels apart", () => {
    const merged = mergeReports([
      [value("counter", "c_total", 1, { a: "x" })],
      [value("counter", "c_total", 2, { a: "z" })],
    ])
    expect(merged).toHaveLength(2)
  })

  it("merged reports show the latest time, and the worst verdict", () => {
    const of = (ok: number, at: number) => [
      value("gauge", "corrente_audit_ok", ok),
      value("gauge", "corrente_audit_last_run_seconds", at),
    ]
    expect(
      mergeReports([of(1, 5), of(0, 7), of(1, 6)]).map((series) => "value" in series && series.value),
    ).toEqual([0, 7])
  })

  it("of a process that has ended the totals stay, and its gauges go", () => {
    const report = [value("counter", "c_total", 2), value("gauge", "g", 3), histogram("h", 1)]
    expect(totalsOf(report).map(({ name }) => name)).toEqual(["c_total", "h"])
  })
})
