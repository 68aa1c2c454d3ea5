import { Effect } from "effect"
import { type NoticeResult, noticeTimerName } from "../../../actors/ports/inboxStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

/** functions/record_notice.lua */
export const recordNotice = (client: RedisClient["Service"]) => (result: NoticeResult) => {
  const tag = keys.tagOf(result.id)
  return callFunction(
    client,
    "record_notice",
    [
      ...[keys.noticeKey(result.id), keys.noticesKey(tag, "unprocessed"), keys.timersKey(tag)],
      ...[keys.noticesKey(tag, "done"), keys.inboxBytesKey(tag)],
    ],
    [
      result.id,
      result.processedAt ?? "",
      result.error ?? "",
      result.retryAfterMillis ?? "",
      keys.wakeChannel(tag),
      noticeTimerName,
    ],
  ).pipe(
    Effect.flatMap(readKind("record_notice", { recorded: "recorded", missing: "missing" })),
    Effect.asVoid,
  )
}
