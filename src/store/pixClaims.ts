import { Effect, Layer } from "effect"
import { PixClaimStore, type ReceivedPixId } from "../../actors/ports/pixClaimStore.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"

const claimFunction = luaFunction("pix_claims.claim", { keys: ["claims"] })

/** Claims a Pix, unless another than `insteadOf` has it; answers who has it then. */
const claim =
  (client: RedisClient["Service"]) =>
  ({ account, endToEndId }: ReceivedPixId, claimant: string, insteadOf?: string) => {
    const key = keys.pixClaimsKey(account, endToEndId)
    const call = callFunction(client, claimFunction, { claims: key }, { endToEndId, claimant, insteadOf })
    return Effect.flatMap(call, (reply) => {
      const [holder] = words(reply)
      return holder === undefined
        ? Effect.fail(unexpectedReply(claimFunction, reply))
        : Effect.succeed(holder)
    })
  }

/** Claims of received Pix on Redis. */
export const PixClaimStoreLive = Layer.effect(
  PixClaimStore,
  Effect.map(RedisClient, (client) =>
    PixClaimStore.of({
      claim: claim(client),
      findAll: (account, endToEndIds) =>
        Effect.map(
          client.callAll(endToEndIds.map((id) => ["HGET", [keys.pixClaimsKey(account, id), id]] as const)),
          (holders) => holders.map((holder) => (holder === null ? undefined : String(holder))),
        ),
    }),
  ),
)
