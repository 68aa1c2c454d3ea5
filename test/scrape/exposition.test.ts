import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { expositionOf } from "../../src/scrape/exposition.ts"
import type { Series } from "../../src/scrape/series.ts"
import { parseExposition, type Sample } from "../support/exposition.ts"

const label = fc.string({ unit: "grapheme", maxLength: 12 })
const named = (name: string) =>
  fc.record({
    name: fc.constant(name),
    description: fc.constant(`What ${name} is: a \\ and a line`),
    labels: fc.dictionary(fc.constantFrom("route", "status", "kind"), label),
  })
const counter = named("corrente_some_total").chain((series) =>
  fc.nat().map((value): Series => ({ ...series, kind: "counter", value })),
)
const gauge = named("corrente_some").chain((series) =>
  fc.double({ noNaN: true }).map((value): Series => ({ ...series, kind: "gauge", value })),
)
const histogram = named("corrente_some_seconds").chain((series) =>
  fc.array(fc.nat(1_000), { maxLength: 5 }).map((counts): Series => {
    let count = 0
    const buckets = counts.map((more, at): [number, number] => {
      count += more
      return [(at + 1) / 4, count]
    })
    return { ...series, kind: "histogram", buckets, count: count + 1, sum: count / 3 }
  }),
)
const identityOf = ({ name, labels }: Series) => JSON.stringify([name, Object.entries(labels).toSorted()])
const report = fc.uniqueArray(fc.oneof(counter, gauge, histogram), {
  selector: identityOf,
  minLength: 1,
  maxLength: 12,
})

const samplesOf = (series: Series): ReadonlyArray<Sample> => {
  const { name, labels } = series
  if (series.kind !== "histogram") return [{ name, labels, value: series.value + 0 }]
  const bounds = [...series.buckets, [Number.POSITIVE_INFINITY, series.count] as const]
  const bucket = `${name}_bucket`
  return [
    ...bounds.map(([bound, value]) => ({
      name: bucket,
      labels: { ...labels, le: String(bound).replace("Infinity", "+Inf") },
      value,
    })),
    { name: `${name}_sum`, labels, value: series.sum },
    { name: `${name}_count`, labels, value: series.count },
  ]
}

describe("the text of a scrape", () => {
  it("a report is read back from its text whole: names, descriptions, labels and values", () => {
    fc.assert(
      fc.property(report, (all) => {
        const families = parseExposition(expositionOf(all))
        expect([...families.keys()]).toEqual([...new Set(all.map(({ name }) => name))].toSorted())
        for (const { name, type, help, samples } of families.values()) {
          const own = all.filter((series) => series.name === name)
          expect(samples).toEqual(own.flatMap(samplesOf))
          expect([type, help.replaceAll("\\\\", "\\")]).toEqual([own[0]?.kind, own[0]?.description])
        }
      }),
    )
  })
})
