import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["owner"], args: ["process_id"] })

/** Gives up the lease on a partition; answers 1 if the process held it, else 0. */
export const releasePartition = (client: RedisClient["Service"]) => (partition: number, processId: string) =>
  callFunction(client, declaration, { owner: keys.ownerKey(partition) }, { process_id: processId })
