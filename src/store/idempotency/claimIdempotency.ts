import { Effect } from "effect"
import type { IdempotencyScope, Principal } from "../../../actors/ports/transactionStore.ts"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { requestKeys } from "./requestKeys.ts"

/** functions/claim_idempotency.lua */
export const claimIdempotency =
  (client: RedisClient["Service"]) =>
  (principal: Principal, idempotency: IdempotencyScope, resourceId: string) =>
    Effect.flatMap(
      callFunction(client, "claim_idempotency", requestKeys(principal, idempotency), [
        principal.sellerId,
        idempotency.fingerprint,
        idempotency.executionId,
        resourceId,
        limits.idempotencyLeaseMillis,
        limits.idempotencyRetentionMillis,
      ]),
      readAnswer("claim_idempotency", (reply) =>
        reply[0] === "claimed"
          ? ({ kind: "claimed", transactionId: reply[1] ?? resourceId } as const)
          : undefined,
      ),
    )
