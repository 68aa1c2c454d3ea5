const delayMillisMin = 100
const delayMillisMax = 5_000
/** A worker that ran this long did not die of its start. */
const steadyMillis = 10_000

/** How long to wait before a worker is replaced (ms): twice as long as last time, up to a maximum. */
export const nextDelayMillis = (lastMillis: number | undefined, livedMillis: number): number =>
  lastMillis === undefined || livedMillis >= steadyMillis
    ? delayMillisMin
    : Math.min(lastMillis * 2, delayMillisMax)
