import { Effect } from "effect"
import type { EndpointScope } from "../../../actors/ports/endpointStore.ts"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

type Rotation =
  | { readonly kind: "rotated"; readonly previousUntilMillis: number }
  | { readonly kind: "missing" }

/** functions/rotate_endpoint_secret.lua */
export const rotateEndpointSecret =
  (client: RedisClient["Service"]) =>
  ({ feed, endpointId }: EndpointScope, secret: string, secretPrefix: string) => {
    const call = callFunction(
      client,
      "rotate_endpoint_secret",
      [keys.keyWithin(keys.tagOf(feed.sellerId), keys.destinationKey(endpointId)), keys.endpointsKey(feed)],
      [endpointId, secret, secretPrefix, limits.rotationGraceMillis],
    )
    return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
      const [kind, until] = words(reply)
      if (kind === "rotated") return Effect.succeed({ kind, previousUntilMillis: Number(until) })
      if (kind === "missing") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply("rotate_endpoint_secret", reply))
    })
  }
