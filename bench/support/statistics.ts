export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  return (lower + upper) / 2
}

/** The value that `percent` (0..100) of all do not exceed, by nearest rank; NaN of no values. */
export const percentileOf = (values: ReadonlyArray<number>, percent: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

/**
 * The median of the rounds' ratios. A round's two sides run one after the other, so a slow moment of the machine slows
 * both, and a pair's ratio is steadier than either side.
 */
export const medianOfRatios = (ours: ReadonlyArray<number>, bare: ReadonlyArray<number>): number =>
  median(ours.map((value, round) => value / (bare[round] ?? Number.NaN)))

/** A number with two or three significant digits and thousands separators; `-` if it was not measured. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  // Very small numbers get two significant digits, however many zeros precede them.
  if (size > 0 && size < 0.1) return value.toLocaleString("en-US", { maximumSignificantDigits: 2 })
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}
