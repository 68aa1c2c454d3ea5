import { Effect } from "effect"
import { noticeBytes, noticeTimerName, type ReceivedNotice } from "../../../actors/values/receivedNotice.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { encodeTime, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient, Reply } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { receivedFields } from "./noticeHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["notice", "index", "unprocessed", "unsigned", "seen", "timers", "done", "bytes"],
  args: [
    "notice_id",
    "is_signed",
    "retention_millis",
    "oldest_id",
    "unsigned_max",
    "notice_prefix",
    "wake_channel",
    "timer_name",
    "notice_bytes",
    "bytes_max",
    "body_hash",
    "...fields",
  ],
})

/**
 * Records a notice: `received`, `duplicate` of an earlier one, or refused as `full`
 * (docs/contract/notices.md#recording).
 */
export const receiveNotice =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) => (notice: ReceivedNotice) => {
    const { id } = notice
    const tag = keys.tagOf(id)
    const oldestMillis = Math.max(0, timeOfId(id) - options.retentionMillis)
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          notice: keys.noticeKey(id),
          index: keys.noticesKey(tag),
          unprocessed: keys.noticesKey(tag, "unprocessed"),
          unsigned: keys.noticesKey(tag, "unsigned"),
          seen: keys.noticeSeenKey(tag, notice.acquirerSlug, notice.providerEventId),
          timers: keys.timersKey(tag),
          done: keys.noticesKey(tag, "done"),
          bytes: keys.inboxBytesKey(tag),
        },
        {
          notice_id: id,
          is_signed: notice.signatureValid ? "1" : "0",
          retention_millis: options.retentionMillis,
          oldest_id: `inb_${encodeTime(oldestMillis)}`,
          unsigned_max: limits.unsignedNoticesMax,
          notice_prefix: keys.noticePrefix(tag),
          wake_channel: keys.wakeChannel(tag),
          timer_name: noticeTimerName,
          notice_bytes: noticeBytes(notice),
          bytes_max: options.inboxBytesMax ?? limits.inboxBytesMaxDefault,
          body_hash: notice.bodyHash,
          fields: receivedFields(notice),
        },
      ),
      readReceipt,
    )
  }

type Receipt =
  | { readonly kind: "received"; readonly id: string }
  | { readonly kind: "duplicate"; readonly id: string; readonly contentOf: string | undefined }
  | { readonly kind: "full" }

const readReceipt = (reply: Reply): Effect.Effect<Receipt, StoreUnavailable> => {
  const [kind, id, contentOf] = words(reply)
  if (kind === "full") return Effect.succeed({ kind })
  if (kind === "received" && id !== undefined) return Effect.succeed({ kind, id })
  if (kind === "duplicate" && id !== undefined) {
    return Effect.succeed({ kind, id, contentOf: contentOf || undefined })
  }
  return Effect.fail(unexpectedReply(declaration, reply))
}
