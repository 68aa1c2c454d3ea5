import { Effect, Layer } from "effect"
import { destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { type StoredTracker, TrackerStore } from "../../actors/ports/trackerStore.ts"
import type { Mode } from "../../schema/ids.ts"
import { subscriptionOf } from "./endpoints.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const get = (client: Client) =>
  Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
    const id = destinationIdOfTracker(sellerId, mode)
    const reply = yield* client.call("HMGET", [
      keys.destinationKey(id),
      ...["enabled", "url", "headers", "created_at"],
    ])
    const [enabled, url, headers, createdAt] = reply as ReadonlyArray<string | null>
    if (enabled !== "1") return undefined
    return { id, sellerId, mode, url: url ?? "", headers: headers ?? "", createdAt: createdAt ?? "" }
  })

const putFunction = luaFunction("trackers.put", {
  keys: ["seller", "destination", "subscriptions"],
  audited: { replies: ["put"], id: "id" },
})

/** Creates or replaces a mode's tracker: `put` with its creation time, or refused as `noSeller`. */
const put = (client: Client) =>
  Effect.fnUntraced(function* (tracker: StoredTracker, types: ReadonlyArray<string>) {
    const { id, sellerId, mode, url, headers } = tracker
    const reply = yield* callFunction(
      client,
      putFunction,
      {
        seller: keys.sellerKey(sellerId),
        destination: keys.destinationKey(id),
        subscriptions: keys.subscriptionsKey(tracker),
      },
      {
        id,
        subscription: subscriptionOf(types),
        createdAt: tracker.createdAt,
        fields: { seller: sellerId, mode, target: "tracker", url, headers },
      },
    )
    const [kind, createdAt = ""] = words(reply)
    if (kind === "put") return { kind, createdAt } as const
    if (kind === "no_seller") return { kind: "noSeller" } as const
    return yield* unexpectedReply(putFunction, reply)
  })

const deleteFunction = luaFunction("trackers.delete", {
  keys: ["destination", "subscriptions"],
  audited: { replies: ["deleted"], id: "id" },
})

/** Deletes a tracker: `deleted`, or refused as `missing`. `operation` identifies retries after a lost reply. */
const remove = (client: Client) => (sellerId: string, mode: Mode, operation: string) => {
  const id = destinationIdOfTracker(sellerId, mode)
  const call = callFunction(
    client,
    deleteFunction,
    { destination: keys.destinationKey(id), subscriptions: keys.subscriptionsKey({ sellerId, mode }) },
    { id, operation },
  )
  return Effect.flatMap(call, readKind(deleteFunction, { deleted: "deleted", missing: "missing" }))
}

/** Trackers on Redis. */
export const TrackerStoreLive = Layer.effect(
  TrackerStore,
  Effect.map(RedisClient, (client) =>
    TrackerStore.of({ get: get(client), put: put(client), delete: remove(client) }),
  ),
)
