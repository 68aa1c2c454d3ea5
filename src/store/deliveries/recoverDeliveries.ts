import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["due", "queue", "events", "subscriptions"],
  args: ["endpoint_id", "delivery_prefix", "wake_channel", "...entries"],
})

/** Queues failed and dead deliveries to an endpoint again; answers how many, or undefined if it is disabled or deleted. */
export const recoverDeliveries =
  (client: RedisClient["Service"]) =>
  ({ feed, endpointId }: EndpointScope, entryIds: ReadonlyArray<string>) => {
    const tag = keys.tagOf(feed.sellerId)
    return Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          due: keys.dueKey(tag),
          queue: keys.keyWithin(tag, keys.queueKey(endpointId)),
          events: keys.eventsKey(feed),
          subscriptions: keys.subscriptionsKey(feed),
        },
        {
          endpoint_id: endpointId,
          delivery_prefix: `${keys.deliveryPrefix(tag)}${endpointId}:`,
          wake_channel: keys.wakeChannel(tag),
          entries: entryIds,
        },
      ),
      (reply): Effect.Effect<number | undefined, StoreUnavailable> => {
        const [kind, queued] = words(reply)
        if (kind === "queued") return Effect.succeed(Number(queued))
        if (kind === "disabled") return Effect.succeed(undefined)
        return Effect.fail(unexpectedReply(declaration, reply))
      },
    )
  }
