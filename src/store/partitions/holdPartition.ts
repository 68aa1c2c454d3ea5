import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["owner"],
  args: ["process_id", "lease_millis"],
})

/** Takes or renews a lease, the string at `key`; answers 1 if the process holds it now, else 0. */
export const holdLease = (
  client: RedisClient["Service"],
  key: string,
  processId: string,
  leaseMillis: number,
) => callFunction(client, declaration, { owner: key }, { process_id: processId, lease_millis: leaseMillis })

/** Takes or renews the lease on a partition's timers and deliveries; answers 1 if the process holds it now, else 0. */
export const holdPartition =
  (client: RedisClient["Service"]) => (partition: number, processId: string, leaseMillis: number) =>
    holdLease(client, keys.ownerKey(partition), processId, leaseMillis)
