import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["owner"], args: ["process_id"] })

/** Gives up a lease, the string at `key`; answers 1 if the process held it, else 0. */
export const releaseLease = (client: RedisClient["Service"], key: string, processId: string) =>
  callFunction(client, declaration, { owner: key }, { process_id: processId })

/** Gives up the lease on a partition; answers 1 if the process held it, else 0. */
export const releasePartition = (client: RedisClient["Service"]) => (partition: number, processId: string) =>
  releaseLease(client, keys.ownerKey(partition), processId)
