import { Effect } from "effect"
import type { ClosingLease, DayMovements } from "../../../actors/ports/closingStore.ts"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { amountsText, entryOfDay, movementsText } from "./closingText.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["state", "closings"],
  args: ["fence", "entry", "movements", "closing"],
})

/** Writes the closing of a seller's day, once: `applied`, or refused as `stale`. */
export const closeSeller =
  (client: RedisClient["Service"]) =>
  ({ fence }: ClosingLease, feed: Feed, { day, movements, closing }: DayMovements) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        {
          state: keys.closingStateKey(keys.partitionOf(feed.sellerId)),
          closings: keys.sellerClosingsKey(feed),
        },
        {
          fence,
          entry: entryOfDay(day),
          movements: movementsText(movements),
          closing: amountsText(closing),
        },
      ),
      readKind(declaration, { applied: "applied", stale: "stale" }),
    )
