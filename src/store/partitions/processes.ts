import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { heartbeat } from "./heartbeat.ts"
import { silence } from "./silence.ts"

/** A process silent for `doubtAfterMillis` may be dead; one silent for `deadAfterMillis` is. */
const heartbeatIntervalMillis = 500
const doubtAfterMillis = 1_500
const deadAfterMillis = limits.partitionLeaseMillis
const forgottenAfterMillis = 60_000

/** Whether a process that shares the Redis is alive, by its heartbeats. */
export type Liveness = "alive" | "doubtful" | "dead"

/** The processes that share the Redis; each sends a heartbeat twice a second. */
export class Processes extends Context.Service<
  Processes,
  {
    readonly processId: string
    /** How many are alive, this one included; at least 1. */
    readonly alive: () => number
    /** How many event streams this process has open; the next heartbeat tells the others. */
    readonly reportStreams: (count: number) => void
    readonly livenessOf: (processId: string) => Effect.Effect<Liveness, StoreUnavailable>
  }
>()("corrente/store/Processes") {}

/** Sends heartbeats until the scope closes; the next one makes up for one that fails. */
export const ProcessesLive = Layer.effect(
  Processes,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const { processId, encryptionKeyIds } = yield* StoreOptions
    const state = { alive: 1, streams: 0 }

    const beat = Effect.suspend(() =>
      heartbeat(client)(
        { processId, streams: state.streams, encryptionKeyIds },
        deadAfterMillis,
        forgottenAfterMillis,
      ),
    ).pipe(
      Effect.tap((reply) =>
        Effect.sync(() => {
          state.alive = Math.max(1, Number(reply))
        }),
      ),
    )
    // Added before the heartbeats start so that it runs after they end: a later one would count the process as alive again.
    yield* Effect.addFinalizer(() =>
      client
        .callAll([
          ["HDEL", [keys.processStreamsKey, processId]],
          ["HDEL", [keys.processKeysKey, processId]],
          ["ZREM", [keys.processesKey, processId]],
        ])
        .pipe(Effect.catch((error) => Effect.logDebug(`heartbeat: ${error.reason}`))),
    )
    yield* beat
    yield* Effect.sleep(heartbeatIntervalMillis).pipe(
      Effect.andThen(beat),
      Effect.catch((error) => Effect.logDebug(`heartbeat: ${error.reason}`)),
      Effect.forever,
      Effect.forkScoped,
    )
    const livenessOf = Effect.fnUntraced(function* (id: string) {
      if (id === processId) return "alive" as const
      // Redis computes the silence by its own clock: those of other machines may differ.
      const answer = yield* silence(client)(id)
      if (answer === null) return "dead" as const
      const silentMillis = Number(answer)
      if (silentMillis > deadAfterMillis) return "dead" as const
      return silentMillis > doubtAfterMillis ? ("doubtful" as const) : ("alive" as const)
    })

    return Processes.of({
      processId,
      alive: () => state.alive,
      reportStreams: (count) => {
        state.streams = count
      },
      livenessOf,
    })
  }),
)
