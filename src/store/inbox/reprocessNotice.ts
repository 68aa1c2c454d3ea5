import { Effect } from "effect"
import { noticeTimerName } from "../../../actors/ports/inboxStore.ts"
import * as keys from "../keys.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const kinds = { queued: "queued", bad_signature: "badSignature", missing: "missing" } as const

/** functions/reprocess_notice.lua */
export const reprocessNotice = (client: RedisClient["Service"]) => (id: string, at: string) => {
  const tag = keys.tagOf(id)
  return Effect.flatMap(
    callFunction(
      client,
      "reprocess_notice",
      [
        ...[keys.noticeKey(id), keys.noticesKey(tag, "unprocessed"), keys.timersKey(tag)],
        ...[keys.noticesKey(tag, "done"), keys.inboxBytesKey(tag)],
      ],
      [id, at, keys.wakeChannel(tag), noticeTimerName],
    ),
    readKind("reprocess_notice", kinds),
  )
}
