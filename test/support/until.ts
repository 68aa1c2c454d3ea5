import { type MachineClock, startMachineClock } from "./machineTime.ts"

/** What is waited for is looked for often at first, later less so: each look is work for the service under test. */
const lookMillisMin = 10
const lookMillisMax = 60
/** Starting the clock and asking it read files of all our processes, and most waits are over before. */
const clockAfterMillis = 1_000

/**
 * Polls until `holds` is true, and fails after the timeout, which is longer on a busy machine: see
 * {@link startMachineClock}. `what` completes "waited for …"; a function can report the progress so far.
 */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMillis = 60_000,
): Promise<void> => {
  const began = performance.now()
  const uncountedMillis = Math.min(clockAfterMillis, timeoutMillis / 2)
  let clock: MachineClock | undefined
  while (!(await holds())) {
    const waitedMillis = performance.now() - began
    if (waitedMillis >= uncountedMillis) clock ??= startMachineClock()
    if (waitedMillis > timeoutMillis && uncountedMillis + (clock?.countedMillis() ?? 0) > timeoutMillis) {
      throw new Error(`waited ${timeoutMillis} ms for ${typeof what === "string" ? what : what()}`)
    }
    await pause(Math.min(Math.max(waitedMillis / 10, lookMillisMin), lookMillisMax))
  }
}

/** Waits for `millis`. */
export const pause = (millis: number): Promise<void> => new Promise((wake) => setTimeout(wake, millis))
