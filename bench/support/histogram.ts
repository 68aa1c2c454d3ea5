/** Each value below it has a bucket; above, every doubling has half as many: an error under 0.8 %. */
const exactBuckets = 128
const exactBits = 7
const bucketsPerDoubling = exactBuckets / 2
/** Half an hour in microseconds; longer durations count as this. */
const largest = 2 ** 31 - 1

/** A histogram's counts by bucket, without empty buckets: its form between processes. */
export type HistogramCounts = ReadonlyArray<readonly [bucket: number, count: number]>

/** Durations counted in buckets of constant relative width, from a microsecond to half an hour. */
export class Histogram {
  readonly #buckets = new Map<number, number>()
  #total = 0

  constructor(counts: HistogramCounts = []) {
    this.add(counts)
  }

  /** Number of recorded durations. */
  get count(): number {
    return this.#total
  }

  /** Records a duration in ms; a negative one counts as 0. */
  record(millis: number): void {
    const bucket = bucketOf(Math.round(millis * 1_000))
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
    this.#total += 1
  }

  /** Adds the counts of another histogram. */
  add(counts: HistogramCounts): void {
    for (const [bucket, count] of counts) {
      this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count)
      this.#total += count
    }
  }

  /** The duration in ms that `percent` (0..100) of all do not exceed; NaN without any. */
  percentile(percent: number): number {
    const rank = Math.max(1, Math.ceil((percent / 100) * this.#total))
    let seen = 0
    for (const [bucket, count] of this.counts()) {
      seen += count
      if (seen >= rank) return middleOf(bucket) / 1_000
    }
    return Number.NaN
  }

  /** The counts, shortest durations first. */
  counts(): HistogramCounts {
    return [...this.#buckets].sort(([left], [right]) => left - right)
  }
}

const bucketOf = (micros: number): number => {
  const value = Math.min(Math.max(micros, 0), largest)
  if (value < exactBuckets) return value
  const exponent = 31 - Math.clz32(value)
  const within = (value >> (exponent - exactBits + 1)) - bucketsPerDoubling
  return exactBuckets + (exponent - exactBits) * bucketsPerDoubling + within
}

const middleOf = (bucket: number): number => {
  if (bucket < exactBuckets) return bucket
  const doubling = Math.floor((bucket - exactBuckets) / bucketsPerDoubling)
  const within = (bucket - exactBuckets) % bucketsPerDoubling
  const width = 2 ** (doubling + 1)
  return (bucketsPerDoubling + within) * width + width / 2
}
