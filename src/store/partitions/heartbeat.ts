import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["processes", "process_streams", "process_keys"],
  args: ["process_id", "silence_max_millis", "forgotten_after_millis", "streams", "encryption_keys?"],
})

/** What a process tells of itself. */
export interface Heartbeat {
  readonly processId: string
  /** How many event streams it has open. */
  readonly streams: number
  /** The ids of its keys of `ENCRYPTION_KEY`, newest first; undefined for one that has none. */
  readonly encryptionKeyIds: ReadonlyArray<string> | undefined
}

/** Records that a process is alive, and what it tells of itself; answers how many are. */
export const heartbeat =
  (client: RedisClient["Service"]) =>
  (
    { processId, streams, encryptionKeyIds }: Heartbeat,
    silenceMaxMillis: number,
    forgottenAfterMillis: number,
  ) =>
    callFunction(
      client,
      declaration,
      {
        processes: keys.processesKey,
        process_streams: keys.processStreamsKey,
        process_keys: keys.processKeysKey,
      },
      {
        process_id: processId,
        silence_max_millis: silenceMaxMillis,
        forgotten_after_millis: forgottenAfterMillis,
        streams,
        encryption_keys: encryptionKeyIds?.join(","),
      },
    )
