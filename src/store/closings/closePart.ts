import { Effect } from "effect"
import type { ClosingLease, DayMovements } from "../../../actors/ports/closingStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { amountsText, entryOfDay, movementsText } from "./closingText.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["state", "parts"],
  args: ["fence", "mode", "day", "entry", "movements", "closing"],
})

/** Marks a day as closed in a partition, once: `applied`, or refused as `stale`. */
export const closePart =
  (client: RedisClient["Service"]) =>
  ({ fence }: ClosingLease, partition: number, mode: Mode, { day, movements, closing }: DayMovements) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { state: keys.closingStateKey(partition), parts: keys.closingPartsKey(partition, mode) },
        {
          fence,
          mode,
          day,
          entry: entryOfDay(day),
          movements: movementsText(movements),
          closing: amountsText(closing),
        },
      ),
      readKind(declaration, { applied: "applied", stale: "stale" }),
    )
