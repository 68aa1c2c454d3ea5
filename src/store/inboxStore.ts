import { Effect, Layer } from "effect"
import { type InboxPage, InboxStore } from "../../actors/ports/inboxStore.ts"
import { receiveNotice } from "./commands/receiveNotice.ts"
import { recordNotice } from "./commands/recordNotice.ts"
import { reprocessNotice } from "./commands/reprocessNotice.ts"
import * as keys from "./keys.ts"
import { newestOfPartitions } from "./newestOfPartitions.ts"
import { readNotice } from "./noticeHash.ts"
import { RedisClient } from "./redisClient.ts"
import { readHash } from "./sellerHash.ts"
import { StoreOptions } from "./storeOptions.ts"

/** Providers' webhooks on Redis. */
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
      const records = yield* client.callAll(ids.map((id) => ["HGETALL", [keys.noticeKey(id)]] as const))
      // The oldest may have passed their retention and stand in an index still.
      return records.flatMap((record, i) => readNotice(ids[i] ?? "", readHash(record)) ?? [])
    })

    return InboxStore.of({
      receive: receiveNotice(client, options),
      load: (id) =>
        Effect.map(client.call("HGETALL", [keys.noticeKey(id)]), (reply) => readNotice(id, readHash(reply))),
      record: recordNotice(client),
      reprocess: reprocessNotice(client),
      list,
    })
  }),
)
