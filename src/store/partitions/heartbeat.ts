import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["processes", "process_streams"],
  args: ["process_id", "silence_max_millis", "forgotten_after_millis", "streams?"],
})

/** Records that a process is alive, and how many event streams it has open; answers how many are. */
export const heartbeat =
  (client: RedisClient["Service"]) =>
  (processId: string, streams: number, silenceMaxMillis: number, forgottenAfterMillis: number) =>
    callFunction(
      client,
      declaration,
      { processes: keys.processesKey, process_streams: keys.processStreamsKey },
      {
        process_id: processId,
        silence_max_millis: silenceMaxMillis,
        forgotten_after_millis: forgottenAfterMillis,
        streams,
      },
    )
