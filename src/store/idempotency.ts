import { Effect } from "effect"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient } from "./redis/redisClient.ts"
import { readAnswer } from "./redis/reply.ts"
import { requestKeyNames, requestKeys, requestOf } from "./requests.ts"

type Client = RedisClient["Service"]

const keyNames = [...requestKeyNames, "events"] as const

const claimFunction = luaFunction("idempotency.claim", { keys: keyNames })

/**
 * Leases an Idempotency-Key before the acquirer is called: `claimed` with the resource's id, or what the key holds, or a
 * refusal of the credential.
 */
export const claimIdempotency =
  (client: Client) => (principal: Principal, idempotency: IdempotencyScope, resourceId: string) =>
    Effect.flatMap(
      callFunction(client, claimFunction, requestKeys(principal, idempotency), {
        ...requestOf(principal, idempotency),
        resourceId,
        leaseMillis: limits.idempotencyLeaseMillis,
        retentionMillis: limits.idempotencyRetentionMillis,
      }),
      readAnswer(claimFunction, (reply) =>
        reply[0] === "claimed"
          ? ({ kind: "claimed", transactionId: reply[1] ?? resourceId } as const)
          : undefined,
      ),
    )

const peekFunction = luaFunction("idempotency.peek", { keys: keyNames, isReadOnly: true })

/** Reads an Idempotency-Key: `none`, or what the key holds, or a refusal of the credential. */
export const peekIdempotency = (client: Client) => (principal: Principal, idempotency: IdempotencyScope) =>
  Effect.flatMap(
    callFunction(client, peekFunction, requestKeys(principal, idempotency), {
      ...requestOf(principal, idempotency),
    }),
    readAnswer(peekFunction, (reply) => (reply[0] === "none" ? ({ kind: "none" } as const) : undefined)),
  )

const saveAnswerFunction = luaFunction("idempotency.save_answer", { keys: keyNames, texts: ["body"] })

/** Saves an error response under an Idempotency-Key: `saved`, or what the key holds, or a refusal of the credential. */
export const saveAnswer =
  (client: Client) => (principal: Principal, idempotency: IdempotencyScope, status: number, body: string) =>
    Effect.flatMap(
      callFunction(
        client,
        saveAnswerFunction,
        requestKeys(principal, idempotency),
        {
          ...requestOf(principal, idempotency),
          status,
          retentionMillis: limits.idempotencyRetentionMillis,
        },
        { body },
      ),
      readAnswer(saveAnswerFunction, (reply) =>
        reply[0] === "saved" ? ({ kind: "saved" } as const) : undefined,
      ),
    )
