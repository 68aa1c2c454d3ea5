import { Effect, Layer } from "effect"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { claimTimers } from "./commands/claimTimers.ts"
import { dropTimer } from "./commands/dropTimer.ts"
import { postponeTimer } from "./commands/postponeTimer.ts"
import { RedisClient } from "./redisClient.ts"

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
