import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["destination", "endpoints"],
  args: ["endpoint_id", "secret", "shown_secret", "grace_millis"],
  audited: { replies: ["rotated"], id: "endpoint_id" },
})

type Rotation =
  | { readonly kind: "rotated"; readonly previousUntilMillis: number }
  | { readonly kind: "missing" }

/** Replaces an endpoint's secret: `rotated` with the end of the previous one, or refused as `missing`. */
export const rotateEndpointSecret =
  (client: RedisClient["Service"]) =>
  ({ feed, endpointId }: EndpointScope, secret: string, secretPrefix: string) => {
    const call = callFunction(
      client,
      declaration,
      {
        destination: keys.keyWithin(keys.tagOf(feed.sellerId), keys.destinationKey(endpointId)),
        endpoints: keys.endpointsKey(feed),
      },
      {
        endpoint_id: endpointId,
        secret,
        shown_secret: secretPrefix,
        grace_millis: limits.rotationGraceMillis,
      },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
      const [kind, until] = words(reply)
      if (kind === "rotated") return Effect.succeed({ kind, previousUntilMillis: Number(until) })
      if (kind === "missing") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply(declaration, reply))
    })
  }
