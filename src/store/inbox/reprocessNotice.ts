import { Effect } from "effect"
import { noticeTimerName } from "../../../actors/values/receivedNotice.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["notice", "unprocessed", "timers", "done", "bytes"],
  args: ["notice_id", "reprocessed_at", "wake_channel", "timer_name"],
})

const kinds = { queued: "queued", bad_signature: "badSignature", missing: "missing" } as const

/** Queues a notice to be processed again: `queued`, or refused as `badSignature` or `missing`. */
export const reprocessNotice = (client: RedisClient["Service"]) => (id: string, at: string) => {
  const tag = keys.tagOf(id)
  return Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        notice: keys.noticeKey(id),
        unprocessed: keys.noticesKey(tag, "unprocessed"),
        timers: keys.timersKey(tag),
        done: keys.noticesKey(tag, "done"),
        bytes: keys.inboxBytesKey(tag),
      },
      { notice_id: id, reprocessed_at: at, wake_channel: keys.wakeChannel(tag), timer_name: noticeTimerName },
    ),
    readKind(declaration, kinds),
  )
}
