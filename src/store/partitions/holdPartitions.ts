import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["...owners"],
  args: ["process_id", "lease_millis"],
})

/**
 * Takes or renews the leases on partitions' timers and deliveries; answers the partitions that the process holds now. Not with a
 * cluster, where each lies in a slot of its own.
 */
export const holdPartitions =
  (client: RedisClient["Service"]) =>
  (partitions: ReadonlyArray<number>, processId: string, leaseMillis: number) =>
    callFunction(
      client,
      declaration,
      { owners: partitions.map(keys.ownerKey) },
      { process_id: processId, lease_millis: leaseMillis },
    ).pipe(
      Effect.map((reply) => {
        const answers = words(reply)
        return partitions.filter((_, i) => answers[i] === "1")
      }),
    )
