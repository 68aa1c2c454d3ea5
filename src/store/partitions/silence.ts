import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, { keys: ["processes"], args: ["process_id"] })

/** How many ms a process has been silent; null if it is unknown. */
export const silence = (client: RedisClient["Service"]) => (processId: string) =>
  callFunction(client, declaration, { processes: keys.processesKey }, { process_id: processId })
