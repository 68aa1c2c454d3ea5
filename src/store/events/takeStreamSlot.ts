import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["streams"],
  args: ["connection_id", "process_id", "streams_max"],
})

/** Takes one of a seller's stream slots; if all are taken, answers who holds them. */
export const takeStreamSlot =
  (client: RedisClient["Service"]) =>
  (sellerId: string, connectionId: string, processId: string, streamsMax: number) =>
    callFunction(
      client,
      declaration,
      { streams: keys.streamsKey(sellerId) },
      { connection_id: connectionId, process_id: processId, streams_max: streamsMax },
    )
