import { Effect } from "effect"
import type { NewEndpoint } from "../../../actors/ports/sellerStore.ts"
import { limits } from "../../../schema/limits.ts"
import type { Ordering } from "../../../schema/resources/endpoint.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["seller", "endpoints", "destination", "subscriptions"],
  args: ["endpoint_id", "endpoints_max", "subscription", "...fields"],
  audited: { replies: ["created"], id: "endpoint_id" },
})

/** A subscription as fan-out matches it: `*`, or `,type,type,`; after a `>` where deliveries are ordered. */
export const subscriptionOf = (events: ReadonlyArray<string>, ordering: Ordering = "none"): string => {
  const subscription = events.includes("*") ? "*" : `,${events.join(",")},`
  return ordering === "resource" ? `>${subscription}` : subscription
}

/** Adds a webhook endpoint: `created`, or refused as `limit` or `noSeller`. */
export const createEndpoint = (client: RedisClient["Service"]) => (endpoint: NewEndpoint) => {
  const fields = [
    ...["seller", endpoint.sellerId, "mode", endpoint.mode, "target", "endpoint", "url", endpoint.url],
    ...["events", endpoint.events.join(","), "description", endpoint.description ?? "", "enabled", "1"],
    ...(endpoint.ordering === "resource" ? ["ordering", "resource", "keeps_turns", "1"] : []),
    ...["secret", endpoint.secret, "secret_prefix", endpoint.secretPrefix, "created_at", endpoint.createdAt],
  ]
  const call = callFunction(
    client,
    declaration,
    {
      seller: keys.sellerKey(endpoint.sellerId),
      endpoints: keys.endpointsKey(endpoint),
      destination: keys.keyWithin(keys.tagOf(endpoint.sellerId), keys.destinationKey(endpoint.id)),
      subscriptions: keys.subscriptionsKey(endpoint),
    },
    {
      endpoint_id: endpoint.id,
      endpoints_max: limits.endpointsPerModeMax,
      subscription: subscriptionOf(endpoint.events, endpoint.ordering),
      fields,
    },
  )
  return Effect.flatMap(
    call,
    readKind(declaration, { created: "created", limit: "limit", no_seller: "noSeller" }),
  )
}
