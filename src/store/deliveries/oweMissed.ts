import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["due", "queue", "events", "subscriptions"],
  args: ["endpoint_id", "delivery_prefix", "wake_channel", "retention_millis", "from", "to", "events_max"],
})

/** What one step owed, and the entry to go on after; undefined: nothing is left. */
export interface MissedStep {
  readonly owed: number
  readonly lastEntryId: string | undefined
}

/**
 * Owes an endpoint what it missed among a few entries of a range, `from` and `to` as XRANGE takes them; undefined: it is
 * disabled or deleted, and owed nothing.
 */
export const oweMissed =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, from: string, to: string) => {
    const tag = keys.tagOf(feed.sellerId)
    const call = callFunction(
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
        retention_millis: options.retentionMillis,
        from,
        to,
        events_max: limits.missedEventsPerStep,
      },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<MissedStep | undefined, StoreUnavailable> => {
      const [kind, owed, lastEntryId] = words(reply)
      if (kind === "owed")
        return Effect.succeed({ owed: Number(owed), lastEntryId: lastEntryId || undefined })
      if (kind === "disabled") return Effect.succeed(undefined)
      return Effect.fail(unexpectedReply(declaration, reply))
    })
  }
