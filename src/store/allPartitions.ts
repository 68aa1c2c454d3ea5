import { Effect } from "effect"
import * as keys from "./keys.ts"
import type { RedisClient } from "./redis/redisClient.ts"

/** The `count` newest ids before `beforeId` in the indexes of all partitions; ids sort by time. */
export const newestOfPartitions = (
  client: RedisClient["Service"],
  partitions: number,
  indexOf: (tag: string, partition: number) => string,
  beforeId: string | undefined,
  count: number,
) => {
  const end = beforeId === undefined ? "+" : `(${beforeId}`
  const reads = Array.from({ length: partitions }, (_, partition) => {
    const index = indexOf(keys.partitionTag(partition), partition)
    return ["ZREVRANGEBYLEX", [index, end, "-", "LIMIT", 0, count]] as const
  })
  return Effect.map(client.callAll(reads), (replies) =>
    (replies.flat() as ReadonlyArray<string>).toSorted().reverse().slice(0, count),
  )
}

/** The `count` oldest ids after `afterId` in the indexes of all partitions; ids sort by time. */
export const oldestOfPartitions = (
  client: RedisClient["Service"],
  partitions: number,
  indexOf: (tag: string, partition: number) => string,
  afterId: string | undefined,
  count: number,
) => {
  const begin = afterId === undefined ? "-" : `(${afterId}`
  const reads = Array.from({ length: partitions }, (_, partition) => {
    const index = indexOf(keys.partitionTag(partition), partition)
    return ["ZRANGEBYLEX", [index, begin, "+", "LIMIT", 0, count]] as const
  })
  return Effect.map(client.callAll(reads), (replies) =>
    (replies.flat() as ReadonlyArray<string>).toSorted().slice(0, count),
  )
}
