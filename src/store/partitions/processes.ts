import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { heartbeat } from "./heartbeat.ts"
import { silence } from "./silence.ts"

/** A process silent for this long may be dead; one silent for longer than `deadAfterMillis` is. */
const heartbeatIntervalMillis = 500
const doubtAfterMillis = 1_500
const deadAfterMillis = limits.partitionLeaseMillis
const forgottenAfterMillis = 60_000

/** What is known of a process that shares the Redis. */
export type Life = "alive" | "doubtful" | "dead"

/** The processes that share the Redis: each beats twice a second. */
export class Processes extends Context.Service<
  Processes,
  {
    readonly processId: string
    /** How many live, this one included; at least 1. */
    readonly alive: () => number
    readonly lifeOf: (processId: string) => Effect.Effect<Life, StoreUnavailable>
  }
>()("corrente/store/Processes") {}

/** Beats until the scope closes; a beat that Redis does not take is made up by the next. */
export const ProcessesLive = Layer.effect(
  Processes,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const { processId } = yield* StoreOptions
    const state = { alive: 1 }

    const beat = heartbeat(client)(processId, deadAfterMillis, forgottenAfterMillis).pipe(
      Effect.tap((reply) =>
        Effect.sync(() => {
          state.alive = Math.max(1, Number(reply))
        }),
      ),
    )
    yield* beat
    yield* Effect.sleep(heartbeatIntervalMillis).pipe(
      Effect.andThen(beat),
      Effect.catch((error) => Effect.logDebug(`heartbeat: ${error.reason}`)),
      Effect.forever,
      Effect.forkScoped,
    )
    yield* Effect.addFinalizer(() =>
      client
        .call("ZREM", [keys.processesKey, processId])
        .pipe(Effect.catch((error) => Effect.logDebug(`heartbeat: ${error.reason}`))),
    )

    const lifeOf = Effect.fnUntraced(function* (id: string) {
      if (id === processId) return "alive" as const
      // The server that has the beats says how long ago the last one was: another's clock may differ.
      const answer = yield* silence(client)(id)
      if (answer === null) return "dead" as const
      const silentMillis = Number(answer)
      if (silentMillis > deadAfterMillis) return "dead" as const
      return silentMillis > doubtAfterMillis ? ("doubtful" as const) : ("alive" as const)
    })

    return Processes.of({ processId, alive: () => state.alive, lifeOf })
  }),
)
