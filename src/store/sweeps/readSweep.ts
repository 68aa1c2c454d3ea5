import { Effect } from "effect"
import type { SweepState } from "../../../actors/ports/sweepStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, { keys: ["sweep"], args: [] })

/** Reads the sweeps of an account and Redis' clock; times in ms. */
export const readSweep = (client: RedisClient["Service"]) => (account: string) =>
  Effect.map(callFunction(client, declaration, { sweep: keys.sweepKey(account) }, {}), (reply) => {
    const [now = 0, began = 0, completedTo = 0, longBegan = 0, wanted = 0, unread = 0] =
      words(reply).map(Number)
    const state: SweepState = {
      beganMillis: began,
      completedToMillis: completedTo,
      longBeganMillis: longBegan,
      wantedMillis: wanted,
      unreadableCount: unread,
    }
    return { nowMillis: now, state }
  })
