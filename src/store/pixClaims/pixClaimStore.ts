import { Effect, Layer } from "effect"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { claimPix } from "./claimPix.ts"

/** Claims of received Pix on Redis. */
export const PixClaimStoreLive = Layer.effect(
  PixClaimStore,
  Effect.map(RedisClient, (client) =>
    PixClaimStore.of({
      claim: claimPix(client),
      findAll: (account, endToEndIds) =>
        Effect.map(
          client.callAll(endToEndIds.map((id) => ["HGET", [keys.pixClaimsKey(account, id), id]] as const)),
          (holders) => holders.map((holder) => (holder === null ? undefined : String(holder))),
        ),
    }),
  ),
)
