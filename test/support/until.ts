/** What is waited for is looked for often at first, later less so: each look is work for the service under test. */
const lookMillisMin = 10
const lookMillisMax = 60
/** A hang is noticed, a busy machine is not one; less than the limit of a test. */
const defaultTimeoutMillis = 240_000

/**
 * Polls until `holds` is true, and fails after the timeout. `what` completes "waited for …"; a function can report the progress so
 * far.
 */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMillis = defaultTimeoutMillis,
): Promise<void> => {
  const began = performance.now()
  while (!(await holds())) {
    const waitedMillis = performance.now() - began
    if (waitedMillis > timeoutMillis) {
      throw new Error(`waited ${timeoutMillis} ms for ${typeof what === "string" ? what : what()}`)
    }
    await pause(Math.min(Math.max(waitedMillis / 10, lookMillisMin), lookMillisMax))
  }
}

/** Waits for `millis`. */
export const pause = (millis: number): Promise<void> => new Promise((wake) => setTimeout(wake, millis))
