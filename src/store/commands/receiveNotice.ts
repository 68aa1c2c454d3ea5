import { Effect } from "effect"
import { noticeTimerName, type ReceivedNotice } from "../../../actors/ports/inboxStore.ts"
import { encodeTime, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { callFunction, unexpectedReply } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import { receivedFields } from "../noticeHash.ts"
import type { RedisClient } from "../redisClient.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { words } from "./reply.ts"

/** functions/receive_notice.lua */
export const receiveNotice =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (notice: ReceivedNotice) => {
    const { id } = notice
    const tag = keys.tagOf(id)
    const oldestMillis = Math.max(0, timeOfId(id) - options.retentionMillis)
    return Effect.flatMap(
      callFunction(
        client,
        "receive_notice",
        [
          keys.noticeKey(id),
          keys.noticesKey(tag),
          keys.noticesKey(tag, "unprocessed"),
          keys.noticesKey(tag, "unsigned"),
          keys.noticeSeenKey(tag, notice.acquirerSlug, notice.providerEventId),
          keys.timersKey(tag),
        ],
        [
          id,
          notice.signatureValid ? "1" : "0",
          options.retentionMillis,
          `inb_${encodeTime(oldestMillis)}`,
          limits.unsignedNoticesMax,
          keys.noticePrefix(tag),
          keys.wakeChannel(tag),
          noticeTimerName,
          ...receivedFields(notice),
        ],
      ),
      (reply) => {
        const [kind, noticeId] = words(reply)
        return (kind === "received" || kind === "duplicate") && noticeId !== undefined
          ? Effect.succeed({ kind, id: noticeId } as const)
          : Effect.fail(unexpectedReply("receive_notice", reply))
      },
    )
  }
