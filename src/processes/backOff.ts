const delayMillisMin = 100
const delayMillisMax = 5_000
/** A worker that lived so long did not die of how it started. */
const steadyMillis = 10_000

/** How long to wait before a worker's place is filled again (ms): twice as long as last time, up to a bound. */
export const nextDelayMillis = (lastMillis: number | undefined, livedMillis: number): number =>
  lastMillis === undefined || livedMillis >= steadyMillis
    ? delayMillisMin
    : Math.min(lastMillis * 2, delayMillisMax)
