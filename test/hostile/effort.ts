/** How many times longer than usual the hostile corpus runs (HOSTILE_FACTOR, an integer of 1 to 1,000; default 1). */
export const hostileFactor = ((): number => {
  const factor = Number(process.env.HOSTILE_FACTOR ?? "1")
  if (Number.isInteger(factor) && factor >= 1 && factor <= 1_000) return factor
  throw new Error("HOSTILE_FACTOR must be an integer of 1 to 1000")
})()

/** Longest that one test may take, in ms: a minute, times the factor. */
export const hostileTimeoutMillis = 60_000 * hostileFactor

/** The seed of generated cases: a new one each time where the corpus runs longer; a failure prints it. */
export const hostileSeed = hostileFactor === 1 ? 20_261_122 : Date.now() % 1_000_000_000
