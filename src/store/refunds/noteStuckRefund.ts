import { Effect } from "effect"
import type { RefundStore } from "../../../actors/ports/refundStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["refund", "stuck"],
  args: ["refund_id", "since_millis"],
})

/** Notes that a refund is processing for long: `noted`, `known`, or refused as `ended`. */
export const noteStuckRefund =
  (client: RedisClient["Service"]): RefundStore["Service"]["noteStuck"] =>
  ({ id, sellerId }, sinceMillis) => {
    const tag = keys.tagOf(sellerId)
    return callFunction(
      client,
      declaration,
      { refund: keys.keyWithin(tag, keys.refundKey(id)), stuck: keys.stuckRefundsKey(tag) },
      { refund_id: id, since_millis: sinceMillis },
    ).pipe(
      Effect.flatMap(readKind(declaration, { noted: "noted", known: "known", ended: "ended" })),
      Effect.map(({ kind }) => kind),
    )
  }
