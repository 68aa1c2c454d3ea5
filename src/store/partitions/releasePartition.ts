import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["owner"], args: ["process_id"] })

/** Gives a partition up; answers 1 when the process held it. */
export const releasePartition = (client: RedisClient["Service"]) => (partition: number, processId: string) =>
  callFunction(client, declaration, { owner: keys.ownerKey(partition) }, { process_id: processId })
