import type { Report, Series } from "./series.ts"

/** Gauges of which the lowest counts: 0 says that something is wrong. */
const lowest = new Set(["corrente_audit_ok"])

/** Times and durations cannot be added: the latest, or the longest, counts. */
const combined = (name: string, a: number, b: number): number => {
  if (lowest.has(name)) return Math.min(a, b)
  return name.endsWith("_seconds") ? Math.max(a, b) : a + b
}

const merged = (a: Series, b: Series): Series => {
  if (a.kind === "histogram" && b.kind === "histogram") {
    const buckets = a.buckets.map(([bound, count], i): readonly [number, number] => [
      bound,
      count + (b.buckets[i]?.[1] ?? 0),
    ])
    return { ...a, buckets, count: a.count + b.count, sum: a.sum + b.sum }
  }
  if (a.kind === "counter" && b.kind === "counter") return { ...a, value: a.value + b.value }
  if (a.kind === "gauge" && b.kind === "gauge") return { ...a, value: combined(a.name, a.value, b.value) }
  return a
}

const identityOf = ({ name, labels }: Series): string =>
  JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])

/**
 * Merges reports of processes of the same build: counters and histograms are added, and so are gauges, except times (the latest
 * or longest counts) and verdicts (the worst counts).
 */
export const mergeReports = (reports: ReadonlyArray<Report>): Report => {
  const found = new Map<string, Series>()
  for (const series of reports.flat()) {
    const identity = identityOf(series)
    const known = found.get(identity)
    found.set(identity, known === undefined ? series : merged(known, series))
  }
  return [...found.values()]
}

/** What stays of a process that has ended: without it, counters would fall, which reads as a restart of all processes. */
export const totalsOf = (report: Report): Report => report.filter(({ kind }) => kind !== "gauge")
