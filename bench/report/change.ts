import { median } from "../support/statistics.ts"

/** The change of a metric from one run to another. */
export interface Change {
  /** Ratio of the medians, after / before; NaN if there is none. */
  readonly ratio: number
  /** Interval of the true ratio at 95 % confidence; undefined with too few rounds. */
  readonly interval: { readonly low: number; readonly high: number } | undefined
}

/** Probability that the interval misses at each end. */
const tail = 0.025
/** 97.5 % of a normal distribution lie below this many standard deviations. */
const deviations = 1.96
/** Up to this many rounds a side, the exact distribution is counted. */
const countedMax = 30

/**
 * For each U, the number of orders of `first` and `second` rounds with that Mann-Whitney U: its distribution if both
 * sides are the same.
 */
export const orderCounts = (first: number, second: number): ReadonlyArray<number> => {
  const ranks = first + second
  const sumMax = first * ranks
  // ways[size][sum]: sets of `size` ranks with that sum, of the ranks seen so far.
  const ways = Array.from({ length: first + 1 }, () => new Float64Array(sumMax + 1))
  const [empty] = ways
  if (empty !== undefined) empty[0] = 1
  for (let rank = 0; rank < ranks; rank++) {
    for (let size = Math.min(first, rank + 1); size > 0; size--) {
      const [smaller, larger] = [ways[size - 1], ways[size]]
      if (smaller === undefined || larger === undefined) continue
      for (let sum = rank; sum <= sumMax; sum++) larger[sum] = (larger[sum] ?? 0) + (smaller[sum - rank] ?? 0)
    }
  }
  const least = (first * (first - 1)) / 2
  return Array.from(ways[first] ?? []).slice(least, least + first * second + 1)
}

/** Number of sorted pairs outside the interval at each end, the bound included; 0 if none may be. */
const pairsToCut = (first: number, second: number): number => {
  if (first === 0 || second === 0) return 0
  const pairs = first * second
  if (Math.max(first, second) > countedMax) {
    const deviation = Math.sqrt((pairs * (first + second + 1)) / 12)
    return Math.max(0, Math.floor(pairs / 2 - deviations * deviation))
  }
  const counts = orderCounts(first, second)
  const allowed = tail * counts.reduce((sum, count) => sum + count, 0)
  let cut = 0
  for (let seen = counts[0] ?? 0; seen <= allowed && cut < pairs; seen += counts[cut] ?? 0) cut += 1
  return cut
}

/** From nothing to nothing is no change. */
const ratioOf = (early: number, late: number): number => (early === 0 && late === 0 ? 1 : late / early)

/**
 * The change of a metric between two runs, from their rounds in any order. The interval is that of Hodges and Lehmann
 * for the ratio: of all pairs of a round before and one after, without those that ranks attribute to chance. It assumes
 * no distribution and needs no random numbers. With fewer than four rounds a side there is none, because even rounds
 * that do not overlap may then be chance. It is widened, if necessary, to contain the ratio of the medians.
 */
export const changeOf = (before: ReadonlyArray<number>, after: ReadonlyArray<number>): Change => {
  const [measuredBefore, measuredAfter] = [before.filter(Number.isFinite), after.filter(Number.isFinite)]
  const ratio = ratioOf(median(measuredBefore), median(measuredAfter))
  if (!Number.isFinite(ratio)) return { ratio: Number.NaN, interval: undefined }
  const cut = pairsToCut(measuredBefore.length, measuredAfter.length)
  const isCounted = [...measuredBefore, ...measuredAfter].every((value) => value >= 0)
  if (cut === 0 || !isCounted) return { ratio, interval: undefined }
  const ratios = Float64Array.from(
    measuredAfter.flatMap((late) => measuredBefore.map((early) => ratioOf(early, late))),
  ).sort()
  const [low = Number.NaN, high = Number.NaN] = [ratios[cut - 1], ratios[ratios.length - cut]]
  return { ratio, interval: { low: Math.min(low, ratio), high: Math.max(high, ratio) } }
}
