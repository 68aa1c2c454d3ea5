import { Effect, Layer } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { TrackerStore } from "../../../actors/ports/trackerStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { deleteTracker } from "./deleteTracker.ts"
import { putTracker } from "./putTracker.ts"

/** Trackers on Redis. */
export const TrackerStoreLive = Layer.effect(
  TrackerStore,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const get = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
      const id = destinationIdOfTracker(sellerId, mode)
      const reply = yield* client.call("HMGET", [
        keys.destinationKey(id),
        ...["enabled", "url", "headers", "created_at"],
      ])
      const [enabled, url, headers, createdAt] = reply as ReadonlyArray<string | null>
      if (enabled !== "1") return undefined
      return { id, sellerId, mode, url: url ?? "", headers: headers ?? "", createdAt: createdAt ?? "" }
    })

    return TrackerStore.of({ get, put: putTracker(client), delete: deleteTracker(client) })
  }),
)
