/** The least interrupted of many measurements of a difference. */
const leastInterrupted = (measure: () => number): number => Math.max(...Array.from({ length: 100 }, measure))

const offsetMillis = leastInterrupted(() => Number(process.hrtime.bigint()) / 1e6 - performance.now())

/** The system's monotonic clock in ms, the same in all processes of a machine. */
export const monotonicMillis = (): number => performance.now() + offsetMillis

/** The moment on the monotonic clock of a Unix time in ms. */
export const monotonicOf = (unixMillis: number): number => unixMillis - performance.timeOrigin + offsetMillis
