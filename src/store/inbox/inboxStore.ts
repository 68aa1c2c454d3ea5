import { Effect, Layer } from "effect"
import { type InboxPage, InboxStore } from "../../../actors/ports/inboxStore.ts"
import * as keys from "../keys.ts"
import { newestOfPartitions } from "../partitions/newestOfPartitions.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { contentFields, noticeFields, readContent, readNotice } from "./noticeHash.ts"
import { receiveNotice } from "./receiveNotice.ts"
import { recordNotice } from "./recordNotice.ts"
import { reprocessNotice } from "./reprocessNotice.ts"

const fieldsOf = (
  names: ReadonlyArray<string>,
  reply: Reply | undefined,
): Readonly<Record<string, string>> => {
  const values = reply as ReadonlyArray<string | null>
  return Object.fromEntries(
    names.flatMap((name, i) => (typeof values[i] === "string" ? [[name, values[i]]] : [])),
  )
}

/** Acquirers' notices on Redis. */
export const InboxStoreLive = Layer.effect(
  InboxStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const list = Effect.fnUntraced(function* ({ state, beforeId, limit }: InboxPage) {
      const ids = yield* newestOfPartitions(
        client,
        options.partitions,
        (tag) => keys.noticesKey(tag, state),
        beforeId,
        limit,
      )
      const records = yield* client.callAll(
        ids.map((id) => ["HMGET", [keys.noticeKey(id), ...noticeFields]] as const),
      )
      // The oldest may have expired and still be in the index.
      return records.flatMap((record, i) => readNotice(ids[i] ?? "", fieldsOf(noticeFields, record)) ?? [])
    })

    const contentOf = (id: string) =>
      Effect.map(client.call("HMGET", [keys.noticeKey(id), ...contentFields]), (reply) =>
        readContent(fieldsOf(contentFields, reply)),
      )

    const content = Effect.fnUntraced(function* (id: string) {
      const own = yield* contentOf(id)
      if (own === undefined || !("noticeId" in own)) return own
      const kept = yield* contentOf(own.noticeId)
      return kept === undefined || "noticeId" in kept ? undefined : kept
    })

    return InboxStore.of({
      receive: receiveNotice(client, options),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.noticeKey(id), ...noticeFields]), (reply) =>
          readNotice(id, fieldsOf(noticeFields, reply)),
        ),
      content,
      record: recordNotice(client),
      reprocess: reprocessNotice(client),
      list,
    })
  }),
)
