/** Sorted set: timers of a partition (`<resource id>:<name>`) by due time. */
export const timersKey = (tag: string): string => `timers:${tag}`
