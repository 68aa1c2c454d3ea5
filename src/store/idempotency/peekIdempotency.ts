import { Effect } from "effect"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { requestKeys } from "./requestKeys.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["api_key", "seller", "idempotency", "events"],
  args: ["seller_id", "fingerprint", "execution"],
})

/** Reads an Idempotency-Key: `none`, or what the key holds, or a refusal of the credential. */
export const peekIdempotency =
  (client: RedisClient["Service"]) => (principal: Principal, idempotency: IdempotencyScope) =>
    Effect.flatMap(
      callFunction(client, declaration, requestKeys(principal, idempotency), {
        seller_id: principal.sellerId,
        fingerprint: idempotency.fingerprint,
        execution: idempotency.executionId,
      }),
      readAnswer(declaration, (reply) => (reply[0] === "none" ? ({ kind: "none" } as const) : undefined)),
    )
