import { Effect } from "effect"
import type { IdempotencyScope, Principal } from "../../../actors/ports/transactionStore.ts"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readAnswer } from "../redis/reply.ts"
import { requestKeys } from "./requestKeys.ts"

/** functions/save_answer.lua */
export const saveAnswer =
  (client: RedisClient["Service"]) =>
  (principal: Principal, idempotency: IdempotencyScope, status: number, body: string) =>
    Effect.flatMap(
      callFunction(client, "save_answer", requestKeys(principal, idempotency), [
        principal.sellerId,
        idempotency.fingerprint,
        idempotency.executionId,
        status,
        body,
        limits.idempotencyRetentionMillis,
      ]),
      readAnswer("save_answer", (reply) => (reply[0] === "saved" ? ({ kind: "saved" } as const) : undefined)),
    )
