import { Effect, Layer } from "effect"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { claimTimers } from "./claimTimers.ts"
import { dropTimer } from "./dropTimer.ts"
import { postponeTimer } from "./postponeTimer.ts"

/** Timers on Redis. */
export const TimerQueueLive = Layer.effect(
  TimerQueue,
  Effect.gen(function* () {
    const client = yield* RedisClient
    return TimerQueue.of({
      claim: claimTimers(client),
      drop: dropTimer(client),
      postpone: postponeTimer(client),
    })
  }),
)
