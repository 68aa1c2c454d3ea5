import type { SavedMetric } from "./savedRun.ts"

/** Latency is measured at a share of the reached throughput, so its rate differs from run to run. */
const rate = / at ([\d.,]+)(?= ?[\w ]*\/s)/

const keyOf = ({ name, unit }: SavedMetric): string => `${name.replace(rate, " at")}\n${unit}`

/** The rate a second in a metric's name; undefined if it has none. */
export const rateOf = (name: string): number | undefined => {
  const found = rate.exec(name)?.[1]
  return found === undefined ? undefined : Number(found.replaceAll(",", ""))
}

/** The same metric of another run: of the same name, or of the same name except for the rate. */
export const counterpartOf = (
  metric: SavedMetric,
  own: ReadonlyArray<SavedMetric>,
  others: ReadonlyArray<SavedMetric>,
): SavedMetric | undefined => {
  const exact = others.find(({ name, unit }) => name === metric.name && unit === metric.unit)
  if (exact !== undefined) return exact
  const isSameKind = (other: SavedMetric) => keyOf(other) === keyOf(metric)
  const [found, ...more] = others.filter(isSameKind)
  return more.length === 0 && own.filter(isSameKind).length === 1 ? found : undefined
}
