import { Effect } from "effect"
import type { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { requestsFirst } from "../../actors/timers/requestsFirst.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"

/** A client whose calls start when no request is waiting, so that pages of reads let requests go in between. */
export const yieldingClient = (
  client: RedisClient["Service"],
  requests: RequestDelay["Service"],
): RedisClient["Service"] => {
  const turn = requestsFirst(requests)
  return {
    ...client,
    call: (command, args) => Effect.andThen(turn, client.call(command, args)),
    callAll: (commands) => Effect.andThen(turn, client.callAll(commands)),
  }
}
