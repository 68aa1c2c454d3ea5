import { Effect } from "effect"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { limits } from "../../../schema/limits.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { requestKeys } from "./requestKeys.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["api_key", "seller", "idempotency", "events"],
  args: ["seller_id", "fingerprint", "execution", "resource_id", "lease_millis", "retention_millis"],
})

/**
 * Leases an Idempotency-Key before the acquirer is called: `claimed` with the resource's id, or what the key holds, or a
 * refusal of the credential.
 */
export const claimIdempotency =
  (client: RedisClient["Service"]) =>
  (principal: Principal, idempotency: IdempotencyScope, resourceId: string) =>
    Effect.flatMap(
      callFunction(client, declaration, requestKeys(principal, idempotency), {
        seller_id: principal.sellerId,
        fingerprint: idempotency.fingerprint,
        execution: idempotency.executionId,
        resource_id: resourceId,
        lease_millis: limits.idempotencyLeaseMillis,
        retention_millis: limits.idempotencyRetentionMillis,
      }),
      readAnswer(declaration, (reply) =>
        reply[0] === "claimed"
          ? ({ kind: "claimed", transactionId: reply[1] ?? resourceId } as const)
          : undefined,
      ),
    )
