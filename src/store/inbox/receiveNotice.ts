import { Effect } from "effect"
import { noticeBytes, noticeTimerName, type ReceivedNotice } from "../../../actors/ports/inboxStore.ts"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { encodeTime, timeOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient, Reply } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { receivedFields } from "./noticeHash.ts"

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
          keys.noticesKey(tag, "done"),
          keys.inboxBytesKey(tag),
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
          noticeBytes(notice),
          options.inboxBytesMax ?? limits.inboxBytesMaxDefault,
          notice.bodyHash,
          ...receivedFields(notice),
        ],
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
  return Effect.fail(unexpectedReply("receive_notice", reply))
}
