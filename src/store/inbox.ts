import { Effect, Layer } from "effect"
import {
  type InboxPage,
  InboxStore,
  type NoticeResult,
  type StoredNotice,
} from "../../actors/ports/inboxStore.ts"
import {
  type NoticeContent,
  noticeBytes,
  noticeTimerName,
  type ReceivedNotice,
} from "../../actors/values/receivedNotice.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { encodeTime, timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { newestOfPartitions } from "./allPartitions.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** A new notice's fields without body and headers; an absent value is an empty string. */
const fieldsOfNew = (notice: ReceivedNotice) => ({
  acquirer: notice.acquirerSlug,
  provider_event_id: notice.providerEventId,
  event_type: notice.eventType ?? "",
  signature_valid: notice.signatureValid ? "1" : "0",
  received_at: notice.receivedAt,
  transaction: notice.transactionId ?? "",
  withdrawal: notice.withdrawalId ?? "",
  end_to_end_id: notice.endToEndId ?? "",
  refund_id: notice.refundId ?? "",
  body_hash: notice.bodyHash,
  body_of: "noticeId" in notice.content ? notice.content.noticeId : undefined,
  attempts: 0,
  processed_at: "",
  error: "",
  reprocessed_at: "",
})

/** The fields that are read of a notice: all but body and headers, which may be long. */
const noticeFields = [
  ...["acquirer", "provider_event_id", "event_type", "signature_valid", "received_at", "transaction"],
  ...["withdrawal", "end_to_end_id", "refund_id", "body_hash"],
  ...["attempts", "processed_at", "error", "reprocessed_at"],
]

/** The fields that hold body and headers; `body_of` names the notice that has them instead. */
const contentFields = ["body", "headers", "body_of"]

const fieldsOf = (
  names: ReadonlyArray<string>,
  reply: Reply | undefined,
): Readonly<Record<string, string>> => {
  const values = reply as ReadonlyArray<string | null>
  return Object.fromEntries(
    names.flatMap((name, i) => (typeof values[i] === "string" ? [[name, values[i]]] : [])),
  )
}

/** Body and headers, or the id of the notice that has them; undefined if there are none. */
const readContent = (
  record: Readonly<Record<string, string>>,
): NoticeContent | { readonly noticeId: string } | undefined => {
  if (record.body_of) return { noticeId: record.body_of }
  return record.body === undefined ? undefined : { body: record.body, headers: record.headers ?? "" }
}

/** Reads a notice's hash; undefined if there is none. */
const readNotice = (id: string, record: Readonly<Record<string, string>>): StoredNotice | undefined =>
  record.received_at === undefined
    ? undefined
    : {
        id,
        acquirerSlug: record.acquirer ?? "",
        providerEventId: record.provider_event_id ?? "",
        eventType: record.event_type || undefined,
        signatureValid: record.signature_valid === "1",
        receivedAt: record.received_at,
        transactionId: record.transaction || undefined,
        withdrawalId: record.withdrawal || undefined,
        endToEndId: record.end_to_end_id || undefined,
        refundId: record.refund_id || undefined,
        bodyHash: record.body_hash ?? "",
        attempts: Number(record.attempts),
        processedAt: record.processed_at || undefined,
        error: record.error || undefined,
        reprocessedAt: record.reprocessed_at || undefined,
      }

const receiveFunction = luaFunction("inbox.receive", {
  keys: ["notice", "index", "unprocessed", "unsigned", "seen", "timers", "done", "bytes"],
  texts: ["body", "headers"],
})

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
  return Effect.fail(unexpectedReply(receiveFunction, reply))
}

/** Records a notice: `received`, `duplicate` of an earlier one, or refused as `full` (docs/contract/notices.md#recording). */
export const receiveNotice =
  (client: Client, { retentionMillis, inboxBytesMax }: StoreOptions["Service"]) =>
  (notice: ReceivedNotice) => {
    const { id, content } = notice
    const tag = keys.tagOf(id)
    const call = callFunction(
      client,
      receiveFunction,
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
        id,
        isSigned: notice.signatureValid,
        fields: fieldsOfNew(notice),
        timer: noticeTimerName,
        retentionMillis,
        oldestId: `inb_${encodeTime(Math.max(0, timeOfId(id) - retentionMillis))}`,
        unsignedMax: limits.unsignedNoticesMax,
        size: noticeBytes(notice),
        bytesMax: inboxBytesMax ?? limits.inboxBytesMaxDefault,
      },
      "noticeId" in content ? { body: "", headers: "" } : { body: content.body, headers: content.headers },
    )
    return Effect.flatMap(call, readReceipt)
  }

/** The keys of a recorded notice. */
const keysOf = (id: string) => {
  const tag = keys.tagOf(id)
  return {
    notice: keys.noticeKey(id),
    unprocessed: keys.noticesKey(tag, "unprocessed"),
    timers: keys.timersKey(tag),
    done: keys.noticesKey(tag, "done"),
    bytes: keys.inboxBytesKey(tag),
  }
}
const keyNames = ["notice", "unprocessed", "timers", "done", "bytes"] as const

const recordFunction = luaFunction("inbox.record", { keys: keyNames })

/** Records the outcome of one processing of a notice; does nothing if the notice has expired. */
export const recordNotice =
  (client: Client) =>
  ({ id, processedAt, error, retryAfterMillis }: NoticeResult) =>
    callFunction(client, recordFunction, keysOf(id), {
      id,
      processedAt,
      error,
      retryInMillis: retryAfterMillis,
      timer: noticeTimerName,
    }).pipe(
      Effect.flatMap(readKind(recordFunction, { recorded: "recorded", missing: "missing" })),
      Effect.asVoid,
    )

const reprocessFunction = luaFunction("inbox.reprocess", { keys: keyNames })

/** Queues a notice to be processed again: `queued`, or refused as `badSignature` or `missing`. */
export const reprocessNotice = (client: Client) => (id: string, reprocessedAt: string) =>
  Effect.flatMap(
    callFunction(client, reprocessFunction, keysOf(id), { id, reprocessedAt, timer: noticeTimerName }),
    readKind(reprocessFunction, { queued: "queued", bad_signature: "badSignature", missing: "missing" }),
  )

const list = (client: Client, { partitions }: StoreOptions["Service"]) =>
  Effect.fnUntraced(function* ({ state, beforeId, limit }: InboxPage) {
    const indexOf = (tag: string) => keys.noticesKey(tag, state)
    const ids = yield* newestOfPartitions(client, partitions, indexOf, beforeId, limit)
    const records = yield* client.callAll(
      ids.map((id) => ["HMGET", [keys.noticeKey(id), ...noticeFields]] as const),
    )
    // The oldest may have expired and still be in the index.
    return records.flatMap((record, i) => readNotice(ids[i] ?? "", fieldsOf(noticeFields, record)) ?? [])
  })

const content = (client: Client) => {
  const contentOf = (id: string) =>
    Effect.map(client.call("HMGET", [keys.noticeKey(id), ...contentFields]), (reply) =>
      readContent(fieldsOf(contentFields, reply)),
    )
  return Effect.fnUntraced(function* (id: string) {
    const own = yield* contentOf(id)
    if (own === undefined || !("noticeId" in own)) return own
    const kept = yield* contentOf(own.noticeId)
    return kept === undefined || "noticeId" in kept ? undefined : kept
  })
}

/** Acquirers' notices on Redis. */
export const InboxStoreLive = Layer.effect(
  InboxStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    return InboxStore.of({
      receive: receiveNotice(client, options),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.noticeKey(id), ...noticeFields]), (reply) =>
          readNotice(id, fieldsOf(noticeFields, reply)),
        ),
      content: content(client),
      record: recordNotice(client),
      reprocess: reprocessNotice(client),
      list: list(client, options),
    })
  }),
)
