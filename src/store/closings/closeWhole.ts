import { Effect } from "effect"
import type { ClosingLease, StoredClosing } from "../../../actors/ports/closingStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { amountsText, entryOfDay, movementsText, partnerText } from "./closingText.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["lease", "closings"],
  args: ["fence", "entry", "movements", "closing", "partner"],
})

/** Writes the closing of a day over all sellers, once: `applied`, or refused as `stale`. */
export const closeWhole =
  (client: RedisClient["Service"]) =>
  ({ fence }: ClosingLease, mode: Mode, closed: Omit<StoredClosing, "createdAtMillis">) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { lease: keys.closingLeaseKey, closings: keys.closingsKey(mode) },
        {
          fence,
          entry: entryOfDay(closed.day),
          movements: movementsText(closed.movements),
          closing: amountsText(closed.closing),
          partner: partnerText(closed.partner),
        },
      ),
      readKind(declaration, { applied: "applied", stale: "stale" }),
    )
