/** The steps that the page offers, in seconds. */
export const clockSteps = [60, 3_600, 86_400, 604_800, 2_592_000] as const

/** The largest units of a duration, as many as say enough: days and hours, or hours and minutes. */
export const unitsOf = (
  seconds: number,
): ReadonlyArray<{ readonly unit: "day" | "hour" | "minute" | "second"; readonly count: number }> => {
  const parts = [
    { unit: "day", count: Math.floor(seconds / 86_400) },
    { unit: "hour", count: Math.floor((seconds % 86_400) / 3_600) },
    { unit: "minute", count: Math.floor((seconds % 3_600) / 60) },
    { unit: "second", count: Math.floor(seconds % 60) },
  ] as const
  const first = parts.findIndex(({ count }) => count > 0)
  return first === -1 ? [] : parts.slice(first, first + 2).filter(({ count }) => count > 0)
}
