import { Effect } from "effect"
import type { SweepLease } from "../../../actors/ports/sweepStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["sweep"],
  args: ["fence", "began", "completed_to", "is_long"],
})

/** A complete sweep; times are ms of Redis' clock. */
interface CompleteSweep {
  readonly beganMillis: number
  readonly toMillis: number
  readonly isLong: boolean
}

/** Records a complete sweep: `applied`, or refused as `stale` if another process has taken the lease since. */
export const completeSweep =
  (client: RedisClient["Service"]) =>
  ({ account, fence }: SweepLease, { beganMillis, toMillis, isLong }: CompleteSweep) =>
    Effect.flatMap(
      callFunction(
        client,
        declaration,
        { sweep: keys.sweepKey(account) },
        { fence, began: beganMillis, completed_to: toMillis, is_long: isLong ? "1" : "0" },
      ),
      readKind(declaration, kinds),
    )

const kinds = { applied: "applied", stale: "stale" } as const
