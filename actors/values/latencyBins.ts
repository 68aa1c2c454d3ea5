/** How many bins durations are counted in; the last one has all that took longer. */
export const latencyBins = 56

/** Bins grow by this factor, so what a bin stands for is at most 9.1 % away from what it counted. */
const binsPerDoubling = 4

/** The bin of a duration in ms. */
export const latencyBinOf = (millis: number): number =>
  millis <= 1 ? 0 : Math.min(latencyBins - 1, Math.ceil(binsPerDoubling * Math.log2(millis)))

/** The duration in ms that a bin stands for: the geometric middle of its bounds. */
const millisOfBin = (bin: number): number => Math.max(1, Math.round(2 ** ((bin - 0.5) / binsPerDoubling)))

/** The duration in ms that a share (0 to 1) of the counted ones do not exceed; 0 if none were counted. */
export const percentileOf = (counts: ReadonlyArray<number>, share: number): number => {
  const wanted = Math.ceil(counts.reduce((sum, count) => sum + count, 0) * share)
  let passed = 0
  for (const [bin, count] of counts.entries()) {
    passed += count
    if (count > 0 && passed >= wanted) return millisOfBin(bin)
  }
  return 0
}
