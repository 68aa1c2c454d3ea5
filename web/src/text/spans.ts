/** Lengths of time in milliseconds, to count a limit in: `limits.stepUpMillis / minuteMillis`. */
export const minuteMillis = 60 * 1000
export const hourMillis = 60 * minuteMillis
export const dayMillis = 24 * hourMillis
