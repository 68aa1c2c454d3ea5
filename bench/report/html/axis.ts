/** Evenly spaced round numbers along an axis: `ticks` cover the whole axis. */
export interface Axis {
  readonly from: number
  readonly to: number
  readonly ticks: ReadonlyArray<number>
}

const intervalsMax = 4

/** The smallest 1, 2 or 5 times a power of ten that is at least `atLeast`. */
const roundStep = (atLeast: number): number => {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= atLeast) ?? 10
  return step * power
}

/** An axis from zero (or below, if values are) to the largest value: bars that begin elsewhere would mislead. */
export const axisOf = (values: ReadonlyArray<number>): Axis => {
  const measured = values.filter(Number.isFinite)
  const least = measured.reduce((low, value) => Math.min(low, value), 0)
  const most = measured.reduce((high, value) => Math.max(high, value), 0)
  const span = most - least
  // Too small: its power of ten is not a number, or all digits would be zeros.
  if (!(span > 1e-300) || !Number.isFinite(span)) return { from: 0, to: 1, ticks: [0, 1] }
  const step = roundStep(span / intervalsMax)
  const first = Math.floor(least / step)
  const last = Math.ceil(most / step)
  // `+ 0` turns -0, which would be shown, into 0.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step + 0)
  return { from: first * step + 0, to: last * step, ticks }
}

/** The position of a value between two ends of the picture, with one decimal. */
export const placeOn = (axis: Axis, value: number, start: number, end: number): number => {
  const share = (value - axis.from) / (axis.to - axis.from)
  return Math.round((start + share * (end - start)) * 10) / 10
}
