import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionTag } from "../tags.ts"

/** Sorted set: timers of a partition (`<resource id>:<name>`) by due time. */
export const timersKey = (tag: string): string => `timers:${tag}`

/** The key family of timers. */
export const timerFamilies: KeyFamilies = {
  ofPartition: (partition, whose) => [
    family(
      "timers",
      timersKey(partitionTag(partition)),
      "set by time",
      `timers of ${whose}, by the time they fire (ms)`,
    ),
  ],
}
