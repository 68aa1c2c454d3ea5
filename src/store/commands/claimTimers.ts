import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { callFunction } from "../functionLibrary.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redisClient.ts"
import { dueIn, words } from "./reply.ts"

/** functions/claim_timers.lua */
export const claimTimers = (client: RedisClient["Service"]) => (partition: number, timersMax: number) =>
  Effect.map(
    callFunction(
      client,
      "claim_timers",
      [keys.timersKey(keys.partitionTag(partition))],
      [timersMax, limits.timerLeaseMillis],
    ),
    (reply) => {
      const [nextIn, leaseEnd, ...members] = words(reply)
      const due = members.map((member) => {
        const colon = member.indexOf(":")
        return {
          resourceId: member.slice(0, colon),
          name: member.slice(colon + 1),
          leaseEndMillis: Number(leaseEnd),
        }
      })
      return { due, nextInMillis: dueIn(nextIn) }
    },
  )
