import { Effect } from "effect"
import type { EndpointChange, EndpointFields, EndpointScope } from "../../../actors/ports/endpointStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["destination", "endpoints", "subscriptions", "feed"],
  args: ["endpoint_id", "enabled", "...fields"],
  audited: { replies: ["updated"], id: "endpoint_id" },
})

const enabledWord = (enabled: boolean | undefined): string => {
  if (enabled === undefined) return ""
  return enabled ? "1" : "0"
}

const secretFields = new Set(["secret", "secret_previous"])

/** Names and values in turn as a record, without secrets. */
export const shownFields = (endpointId: string, values: ReadonlyArray<string>): EndpointFields => {
  const fields: Record<string, string> = { id: endpointId }
  for (let i = 0; i + 1 < values.length; i += 2) {
    const name = values[i] ?? ""
    if (!secretFields.has(name)) fields[name] = values[i + 1] ?? ""
  }
  return fields
}

/** Changes an endpoint; answers its fields without secrets, undefined if it is missing. */
export const updateEndpoint =
  (client: RedisClient["Service"]) =>
  ({ feed, endpointId }: EndpointScope, change: EndpointChange) => {
    const { url, events, description, ordering } = change
    const call = callFunction(
      client,
      declaration,
      {
        destination: keys.keyWithin(keys.tagOf(feed.sellerId), keys.destinationKey(endpointId)),
        endpoints: keys.endpointsKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        feed: keys.feedKey(feed),
      },
      {
        endpoint_id: endpointId,
        enabled: enabledWord(change.enabled),
        fields: [
          ...(url === undefined ? [] : ["url", url]),
          ...(events === undefined ? [] : ["events", events.join(",")]),
          ...(description === undefined ? [] : ["description", description]),
          ...(ordering === undefined ? [] : ["ordering", ordering]),
        ],
      },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<EndpointFields | undefined, StoreUnavailable> => {
      const [kind, ...values] = words(reply)
      if (kind === "updated") return Effect.succeed(shownFields(endpointId, values))
      if (kind === "missing") return Effect.succeed(undefined)
      return Effect.fail(unexpectedReply(declaration, reply))
    })
  }
