import { Effect } from "effect"
import { noticeTimerName } from "../../../actors/ports/inboxStore.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { readKind } from "./reply.ts"

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
