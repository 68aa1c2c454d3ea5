import { startMachineClock } from "./machineTime.ts"

const lookMillis = 20

/**
 * Polls until `holds` is true, and fails after the timeout, which is longer on a busy machine: see
 * {@link startMachineClock}. `what` completes "waited for …"; a function can report the progress so far.
 */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMillis = 60_000,
): Promise<void> => {
  // Before the clock is started, which reads files of all our processes.
  if (await holds()) return
  const clock = startMachineClock()
  const deadline = performance.now() + timeoutMillis
  do {
    if (performance.now() > deadline && clock.countedMillis() > timeoutMillis) {
      throw new Error(`waited ${timeoutMillis} ms for ${typeof what === "string" ? what : what()}`)
    }
    await pause(lookMillis)
  } while (!(await holds()))
}

/** Waits for `millis`. */
export const pause = (millis: number): Promise<void> => new Promise((wake) => setTimeout(wake, millis))
