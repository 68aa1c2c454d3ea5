import { Effect } from "effect"
import type { ReceivedPixId } from "../../../actors/ports/pixClaimStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["claims"],
  args: ["end_to_end_id", "claimant", "instead_of"],
})

/** Claims a Pix, unless another than `insteadOf` has it; answers who has it then. */
export const claimPix =
  (client: RedisClient["Service"]) =>
  ({ account, endToEndId }: ReceivedPixId, claimant: string, insteadOf = "") =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { claims: keys.pixClaimsKey(account, endToEndId) },
        { end_to_end_id: endToEndId, claimant, instead_of: insteadOf },
      ),
      (reply) => {
        const [holder] = words(reply)
        return holder === undefined
          ? Effect.fail(unexpectedReply(declaration, reply))
          : Effect.succeed(holder)
      },
    )
