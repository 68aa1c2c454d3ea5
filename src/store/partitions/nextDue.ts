import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { dueIn, words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, { keys: ["...queues"], args: [] })

/** When the first timer and the first delivery of each partition are due. With a cluster all must lie in one slot. */
export const nextDue = (client: RedisClient["Service"]) => (partitions: ReadonlyArray<number>) => {
  const queues = partitions.flatMap((partition) => {
    const tag = keys.partitionTag(partition)
    return [keys.timersKey(tag), keys.dueKey(tag)]
  })
  return Effect.map(callFunction(client, declaration, { queues }, {}), (reply) => {
    const waits = words(reply)
    return partitions.map((partition, i) => ({
      partition,
      timersInMillis: dueIn(waits[2 * i]),
      deliveriesInMillis: dueIn(waits[2 * i + 1]),
    }))
  })
}
