import { Effect } from "effect"
import type { NoticeResult } from "../../../actors/ports/inboxStore.ts"
import { noticeTimerName } from "../../../actors/values/receivedNotice.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["notice", "unprocessed", "timers", "done", "bytes"],
  args: ["notice_id", "processed_at", "error", "retry_in_millis", "wake_channel", "timer_name"],
})

/** Records the outcome of one processing of a notice; does nothing if the notice has expired. */
export const recordNotice = (client: RedisClient["Service"]) => (result: NoticeResult) => {
  const tag = keys.tagOf(result.id)
  return callFunction(
    client,
    declaration,
    {
      notice: keys.noticeKey(result.id),
      unprocessed: keys.noticesKey(tag, "unprocessed"),
      timers: keys.timersKey(tag),
      done: keys.noticesKey(tag, "done"),
      bytes: keys.inboxBytesKey(tag),
    },
    {
      notice_id: result.id,
      processed_at: result.processedAt ?? "",
      error: result.error ?? "",
      retry_in_millis: result.retryAfterMillis ?? "",
      wake_channel: keys.wakeChannel(tag),
      timer_name: noticeTimerName,
    },
  ).pipe(Effect.flatMap(readKind(declaration, { recorded: "recorded", missing: "missing" })), Effect.asVoid)
}
