import { Effect } from "effect"
import type { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { limits } from "../../schema/limits.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"

/**
 * A client whose calls start when no request is waiting, so that pages of reads let requests go in between. After a
 * while a call starts all the same, so that an audit ends even on a service that is busy all day.
 */
export const yieldingClient = (
  client: RedisClient["Service"],
  requests: RequestDelay["Service"],
): RedisClient["Service"] => {
  const turn = Effect.gen(function* () {
    for (let looks = 0; looks < limits.auditYieldLooksMax; looks++) {
      if (requests.currentMillis() <= limits.dueWorkYieldsAboveMillis) return
      yield* Effect.sleep(limits.dueWorkLookMillis)
    }
  })
  return {
    ...client,
    call: (command, args) => Effect.andThen(turn, client.call(command, args)),
    callAll: (commands) => Effect.andThen(turn, client.callAll(commands)),
  }
}
