import { Effect } from "effect"
import type { StoredTracker } from "../../../actors/ports/sellerRecords.ts"
import * as keys from "../keys.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { subscriptionOf } from "./createEndpoint.ts"

/** functions/put_tracker.lua */
export const putTracker = (client: RedisClient["Service"]) =>
  Effect.fnUntraced(function* (tracker: StoredTracker, types: ReadonlyArray<string>) {
    const reply = yield* callFunction(
      client,
      "put_tracker",
      [keys.sellerKey(tracker.sellerId), keys.destinationKey(tracker.id), keys.subscriptionsKey(tracker)],
      [
        ...[tracker.id, subscriptionOf(types), tracker.createdAt],
        ...["seller", tracker.sellerId, "mode", tracker.mode, "target", "tracker"],
        ...["url", tracker.url, "headers", tracker.headers],
      ],
    )
    const [kind, createdAt = ""] = words(reply)
    if (kind === "put") return { kind, createdAt } as const
    if (kind === "no_seller") return { kind: "noSeller" } as const
    return yield* unexpectedReply("put_tracker", reply)
  })
