import { family, type KeyFamilies } from "../keyFamily.ts"
import { partitionOfTagIn, partitionTag } from "../tags.ts"

/** String: the process that runs a partition's timers and deliveries. */
export const ownerKey = (partition: number): string => `owner:${partitionTag(partition)}`

/** Sorted set: live processes by their last heartbeat. */
export const processesKey = "processes"

/** Hash: how many event streams each live process has open. Its tag puts it into the slot of the other. */
export const processStreamsKey = "process-streams:{processes}"

/** Hash: the ids of the keys of `ENCRYPTION_KEY` that each live process has, newest first. */
export const processKeysKey = "process-keys:{processes}"

/** Channel: a partition has something due earlier than its process may know. */
export const wakeChannel = (tag: string): string => `wake:${tag}`

/** The partition of a wake channel; undefined for another channel. */
export const partitionOfWakeChannel = (channel: string): number | undefined => {
  const partition = partitionOfTagIn(channel)
  return partition !== undefined && channel === wakeChannel(partitionTag(partition)) ? partition : undefined
}

/** The key families of partitions and the processes that share them. */
export const partitionFamilies: KeyFamilies = {
  ofService: () => [
    family("processes", processesKey, "set by time", "live processes, by their last heartbeat (ms)"),
    family("processes", processStreamsKey, "hash", "how many event streams each has open"),
    family("processes", processKeysKey, "hash", "the ids of the keys that each has, newest first"),
  ],
  ofPartition: (partition, whose) => [
    family(
      "wake-ups",
      wakeChannel(partitionTag(partition)),
      "channel",
      `announces that something of ${whose} is due earlier than expected`,
    ),
    family("owner", ownerKey(partition), "string", `the process that runs ${whose}`),
  ],
}
