import { Effect } from "effect"
import type { IdempotencyScope, Principal } from "../../../actors/ports/transactionStore.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { requestKeys } from "./requestKeys.ts"

/** functions/peek_idempotency.lua */
export const peekIdempotency =
  (client: RedisClient["Service"]) => (principal: Principal, idempotency: IdempotencyScope) =>
    Effect.flatMap(
      callFunction(client, "peek_idempotency", requestKeys(principal, idempotency), [
        principal.sellerId,
        idempotency.fingerprint,
        idempotency.executionId,
      ]),
      readAnswer("peek_idempotency", (reply) =>
        reply[0] === "none" ? ({ kind: "none" } as const) : undefined,
      ),
    )
