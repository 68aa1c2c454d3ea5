import { Effect, Schedule } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { RedisClient } from "./redisClient.ts"

const askAgainMillis = 500
/** What a start asks at once more before it says anything: the first answer may be of before the primary was known. */
const quietRetries = 2

/**
 * Waits at a start until replicas acknowledge what the primary has: after a restart of all servers they may have to copy it first.
 * Says so in the log. Fails with the last refusal after `limits.startReplicasMillisMax` (docs/promises.md#replicas).
 */
export const awaitReplicasAtStart = Effect.fnUntraced(function* ({
  awaitReplicas,
}: Pick<RedisClient["Service"], "awaitReplicas">) {
  if (awaitReplicas === undefined) return
  yield* Effect.catch(
    Effect.retry(awaitReplicas, { times: quietRetries }),
    Effect.fnUntraced(function* ({ reason }) {
      const secondsMax = limits.startReplicasMillisMax / 1_000
      yield* Effect.logWarning(`${reason}. The start waits for them, ${secondsMax} s at most.`)
      yield* Effect.retry(awaitReplicas, {
        schedule: Schedule.spaced(askAgainMillis).pipe(
          Schedule.upTo({ duration: limits.startReplicasMillisMax }),
        ),
      })
      yield* Effect.logInfo("Replicas have acknowledged: the start goes on.")
    }),
  )
})
