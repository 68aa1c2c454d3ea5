/** A metric of an exposition, with its samples. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sampleForm = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[-+]?\d[\d.eE+-]*)$/s
const labelForm = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y

const parseLabels = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {}
  labelForm.lastIndex = 0
  while (labelForm.lastIndex < text.length) {
    const [, name, value] = labelForm.exec(text) ?? []
    if (name === undefined || value === undefined) throw new Error(`labels cannot be read: ${text}`)
    if (name in labels || name.startsWith("__")) throw new Error(`label ${name}: ${text}`)
    labels[name] = value.replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter))
  }
  return labels
}

const numberOf = (text: string): number => Number(text.replace("Inf", "Infinity"))

/** The names that samples of a metric of a type have. */
const sampleNames = (name: string, type: string): ReadonlyArray<string> =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]

const identityOf = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).toSorted())

/** Throws unless each series of a histogram has ascending buckets that end in its count. */
const checkHistogram = ({ name, samples }: Family): void => {
  const buckets = new Map<string, Array<readonly [number, number]>>()
  for (const { name: sample, labels, value } of samples) {
    if (sample !== `${name}_bucket`) continue
    const { le = "", ...others } = labels
    const series = identityOf(others)
    buckets.set(series, [...(buckets.get(series) ?? []), [numberOf(le), value]])
  }
  const valueOf = (sample: string, series: string) =>
    samples.find((found) => found.name === sample && identityOf(found.labels) === series)?.value
  for (const [series, ranges] of buckets) {
    const isAscending = ranges.every(([bound, count], i) => {
      const [lastBound, lastCount] = ranges[i - 1] ?? [Number.NEGATIVE_INFINITY, 0]
      return bound > lastBound && count >= lastCount
    })
    const [bound, count] = ranges.at(-1) ?? [0, 0]
    const isWhole = bound === Number.POSITIVE_INFINITY && count === valueOf(`${name}_count`, series)
    if (!isAscending || !isWhole || valueOf(`${name}_sum`, series) === undefined) {
      throw new Error(`${name} ${series} is no histogram`)
    }
  }
}

/**
 * Parses Prometheus' text format strictly, by the rules of
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format; throws for what they do not allow.
 */
export const parseExposition = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: readonly [string, string] = ["", ""]
  let current: (Family & { readonly samples: Array<Sample> }) | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (kind === "HELP") help = [name, rest]
    else if (kind === "TYPE") {
      if (families.has(name)) throw new Error(`${name} is in two groups`)
      if (help[0] !== name) throw new Error(`${name} has no help`)
      if (!["counter", "gauge", "histogram", "summary", "untyped"].includes(rest)) throw new Error(line)
      current = { name, type: rest, help: help[1], samples: [] }
      families.set(name, current)
    } else {
      const [, sample = "", labelText = "", value = ""] = sampleForm.exec(line) ?? []
      if (current === undefined || !sampleNames(current.name, current.type).includes(sample)) {
        throw new Error(`a line of no metric: ${line}`)
      }
      const labels = parseLabels(labelText)
      if (seen.has(sample + identityOf(labels))) throw new Error(`twice: ${line}`)
      seen.add(sample + identityOf(labels))
      current.samples.push({ name: sample, labels, value: numberOf(value) })
    }
  }
  for (const family of families.values()) if (family.type === "histogram") checkHistogram(family)
  return families
}

/** The sum of the samples of a name that have these labels; undefined where there is none. */
export const valueOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
