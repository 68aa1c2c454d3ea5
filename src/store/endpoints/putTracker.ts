import { Effect } from "effect"
import type { StoredTracker } from "../../../actors/ports/trackerStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { subscriptionOf } from "./createEndpoint.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "destination", "subscriptions"],
  args: ["destination_id", "subscription", "created_at", "...fields"],
  audited: { replies: ["put"], id: "destination_id" },
})

/** Creates or replaces a mode's tracker: `put` with its creation time, or refused as `noSeller`. */
export const putTracker = (client: RedisClient["Service"]) =>
  Effect.fnUntraced(function* (tracker: StoredTracker, types: ReadonlyArray<string>) {
    const reply = yield* callFunction(
      client,
      declaration,
      {
        seller: keys.sellerKey(tracker.sellerId),
        destination: keys.destinationKey(tracker.id),
        subscriptions: keys.subscriptionsKey(tracker),
      },
      {
        destination_id: tracker.id,
        subscription: subscriptionOf(types),
        created_at: tracker.createdAt,
        fields: [
          "seller",
          tracker.sellerId,
          "mode",
          tracker.mode,
          "target",
          "tracker",
          "url",
          tracker.url,
          "headers",
          tracker.headers,
        ],
      },
    )
    const [kind, createdAt = ""] = words(reply)
    if (kind === "put") return { kind, createdAt } as const
    if (kind === "no_seller") return { kind: "noSeller" } as const
    return yield* unexpectedReply(declaration, reply)
  })
