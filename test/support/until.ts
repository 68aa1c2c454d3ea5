import { startMachineClock } from "./machineTime.ts"

const lookMillis = 20

/**
 * Looks again and again until `holds`, and fails after the deadline, which a busy machine puts off: see
 * {@link startMachineClock}. `what` completes "waited for …"; as a function it may say how far things have come.
 */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMillis = 20_000,
): Promise<void> => {
  const clock = startMachineClock()
  const deadline = performance.now() + timeoutMillis
  while (!(await holds())) {
    if (performance.now() > deadline && clock.countedMillis() > timeoutMillis) {
      throw new Error(`waited ${timeoutMillis} ms for ${typeof what === "string" ? what : what()}`)
    }
    await pause(lookMillis)
  }
}

/** Lets that much time go by. */
export const pause = (millis: number): Promise<void> => new Promise((wake) => setTimeout(wake, millis))
