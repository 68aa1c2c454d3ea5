import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { callFunction, dropLibrariesBut, library } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"
import { StoreOptions } from "./storeOptions.ts"

/** A process silent for `doubtAfterMillis` may be dead; one silent for `deadAfterMillis` is. */
const heartbeatIntervalMillis = 500
const doubtAfterMillis = 1_500
const deadAfterMillis = limits.partitionLeaseMillis
const forgottenAfterMillis = 60_000
const libraryDropIntervalMillis = 60_000

type Client = RedisClient["Service"]

const heartbeatFunction = luaFunction("processes.heartbeat", {
  keys: ["processes", "streams", "libraries", "encryptionKeys"],
})

/** What a process tells of itself. */
interface Heartbeat {
  readonly processId: string
  /** How many event streams it has open. */
  readonly streams: number
  /** The version of the function library that it calls. */
  readonly library: string
  /** The ids of its keys of `ENCRYPTION_KEY`, newest first; undefined for one that has none. */
  readonly encryptionKeyIds: ReadonlyArray<string> | undefined
}

/** Records that a process is alive, and what it tells of itself; answers how many are. */
export const heartbeat = (client: Client, { processId, streams, library, encryptionKeyIds }: Heartbeat) =>
  Effect.map(
    callFunction(
      client,
      heartbeatFunction,
      {
        processes: keys.processesKey,
        streams: keys.processStreamsKey,
        libraries: keys.processLibrariesKey,
        encryptionKeys: keys.processKeysKey,
      },
      {
        processId,
        streams,
        library,
        encryptionKeys: encryptionKeyIds?.join(","),
        silenceMaxMillis: deadAfterMillis,
        forgottenAfterMillis,
      },
    ),
    Number,
  )

const silenceFunction = luaFunction("processes.silence", { keys: ["processes"], isReadOnly: true })

const liveKeysFunction = luaFunction("processes.live_encryption_keys", {
  keys: ["processes", "encryptionKeys"],
  isReadOnly: true,
})

/** For each live process of the service the ids of its keys of `ENCRYPTION_KEY`, newest first: it encrypts with the first. */
export const liveProcessKeys = (client: Client) =>
  Effect.map(
    callFunction(
      client,
      liveKeysFunction,
      { processes: keys.processesKey, encryptionKeys: keys.processKeysKey },
      { silenceMaxMillis: deadAfterMillis },
    ),
    (reply): ReadonlyArray<ReadonlyArray<string>> => words(reply).map((ids) => ids.split(",")),
  )

/** Drops the function libraries that no process reports, except this process' own. */
export const dropUnusedLibraries = (client: Client) =>
  Effect.flatMap(client.call("HVALS", [keys.processLibrariesKey]), (versions) =>
    dropLibrariesBut(client, new Set([library.version, ...words(versions)])),
  )

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
      heartbeat(client, {
        processId,
        streams: state.streams,
        library: library.version,
        encryptionKeyIds,
      }),
    ).pipe(
      Effect.tap((alive) =>
        Effect.sync(() => {
          state.alive = Math.max(1, alive)
        }),
      ),
    )
    // Added before the heartbeats start so that it runs after they end: a later one would count the process as alive again.
    yield* Effect.addFinalizer(() =>
      client
        .callAll([
          ["HDEL", [keys.processStreamsKey, processId]],
          ["HDEL", [keys.processLibrariesKey, processId]],
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
    yield* Effect.sleep(libraryDropIntervalMillis).pipe(
      Effect.andThen(dropUnusedLibraries(client)),
      Effect.catch((error) => Effect.logDebug(`drop libraries: ${error.reason}`)),
      Effect.forever,
      Effect.forkScoped,
    )
    const livenessOf = Effect.fnUntraced(function* (id: string) {
      if (id === processId) return "alive" as const
      // Redis computes the silence by its own clock: those of other machines may differ.
      const answer = yield* callFunction(
        client,
        silenceFunction,
        { processes: keys.processesKey },
        { processId: id },
      )
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
