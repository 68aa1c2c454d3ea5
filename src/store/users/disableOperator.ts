import { Effect } from "effect"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["disabled"],
  args: ["operator_id", "other_id"],
})

/**
 * Marks an operator as disabled: `marked`, or refused as `otherDisabled` if the other operator, who is to stay, is marked
 * already.
 */
export const disableOperator = (client: RedisClient["Service"]) => (operatorId: string, otherId: string) =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { disabled: keys.disabledOperatorsKey },
      { operator_id: operatorId, other_id: otherId },
    ),
    readKind(declaration, { marked: "marked", other_disabled: "otherDisabled" }),
  )
