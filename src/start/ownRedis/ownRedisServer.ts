import { rmSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { repairCutWrite, tellsOfCutWrite } from "./truncatedWrite.ts"
import { leftOverRedis } from "./leftOverRedis.ts"
import { ownFolder } from "./ownership.ts"
import { awaitReady, freePort, prepareLog, type RunningRedis, spawnRedis, stopRedis } from "./redisChild.ts"
import {
  addressOf,
  changeFolder,
  forgetServer,
  lastLogLines,
  makeRedisFolder,
  newPlace,
  type RedisFolder,
  type RedisPlace,
  replaceFile,
  writeAddress,
} from "./redisFolder.ts"
import type { RedisServerError } from "./redisServerError.ts"

/** Our own Redis, running. */
export interface OwnRedisServer {
  /** `redis://default:<password>@127.0.0.1:<port>`; stays the same over restarts of the server. */
  readonly url: string
  /** The server's process id, now. */
  readonly pid: number
}

/** Ports tried when another program takes each between our choice and the server's start. */
const portTriesMax = 5
const restartDelayMinMillis = 50
const restartDelayMaxMillis = 5_000

/** What runs now; undefined before the first start. */
interface Current {
  redis: RunningRedis | undefined
}

/** Starts a server on the port and waits until it is ready. */
const startOnce = (
  folder: RedisFolder,
  current: Current,
  place: RedisPlace,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.gen(function* () {
    yield* prepareLog(folder)
    // The address comes first, the process last: whoever finds us killed in between knows where to look.
    yield* changeFolder(folder.path, () => {
      rmSync(folder.processFile, { force: true })
      writeAddress(folder, place)
    })
    const redis = yield* spawnRedis(folder, place, (started) => {
      current.redis = started
      replaceFile(folder.processFile, JSON.stringify(started.process))
    })
    // A server that runs and cannot be used must be gone before another one opens the same files.
    yield* Effect.tapError(awaitReady(folder, redis), () => stopRedis(redis))
    return redis
  })

/** Starts a server, once more where its files had to be repaired first. */
const startOn = (
  folder: RedisFolder,
  current: Current,
  place: RedisPlace,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.catch(startOnce(folder, current, place), (error) =>
    tellsOfCutWrite(lastLogLines(folder, 3))
      ? Effect.andThen(repairCutWrite(folder.path), startOnce(folder, current, place))
      : Effect.fail(error),
  )

const startOnFreePort = (
  folder: RedisFolder,
  current: Current,
  triesLeft: number,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.flatMap(freePort, (port) => startOn(folder, current, newPlace(port))).pipe(
    Effect.catch((error) =>
      triesLeft > 1 && lastLogLines(folder, 5).includes("Address already in use")
        ? startOnFreePort(folder, current, triesLeft - 1)
        : Effect.fail(error),
    ),
  )

/** Starts the server again until it runs, waiting longer after each failure. */
const startAgain = (
  folder: RedisFolder,
  current: Current,
  place: RedisPlace,
  delayMillis: number,
): Effect.Effect<RunningRedis> =>
  Effect.andThen(Effect.sleep(delayMillis), startOn(folder, current, place)).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logError(`Our Redis could not be started again: ${error.message}`),
        startAgain(folder, current, place, Math.min(delayMillis * 2, restartDelayMaxMillis)),
      ),
    ),
  )

/** Keeps the server running for as long as the fiber does. */
const keepRunning = (folder: RedisFolder, current: Current, first: RunningRedis): Effect.Effect<never> =>
  Effect.gen(function* () {
    let redis = first
    for (;;) {
      yield* redis.gone
      yield* Effect.logWarning(
        `Our Redis (process ${redis.process.pid}) ended; starting it again on its port.`,
      )
      redis = yield* startAgain(folder, current, redis.place, restartDelayMinMillis)
      yield* Effect.logInfo(`Our Redis runs again (process ${redis.process.pid}).`)
    }
  })

/**
 * Runs a redis-server of our own under `<dataDir>/redis` until the scope closes: append-only with fsync before each
 * reply, nothing evicted, on a free port of 127.0.0.1. Takes over the one that a killed process left running, starts
 * it again on the same port when it dies, and stops it last. Its address stands in
 * `<dataDir>/redis/address`, with the password that it was given at its first start, for this user alone.
 * Completes when it has loaded its data. Fails, with what to do, when another live process has the folder, the folder
 * cannot be written, redis-server is missing or too old, or it ends while starting.
 */
export const ownRedisServer = Effect.fn("ownRedisServer")(function* (options: {
  readonly dataDir: string
}): Effect.fn.Return<OwnRedisServer, RedisServerError, Scope.Scope> {
  const folder = yield* makeRedisFolder(options.dataDir)
  yield* ownFolder(folder, options.dataDir)
  const found = yield* leftOverRedis(folder)
  const current: Current = { redis: found }
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.suspend(() => (current.redis === undefined ? Effect.void : stopRedis(current.redis))),
      Effect.sync(() => forgetServer(folder)),
    ),
  )
  if (found !== undefined) {
    yield* Effect.logInfo(`Taking over the Redis that an earlier run left (process ${found.process.pid}).`)
  }
  const redis = found ?? (yield* startOnFreePort(folder, current, portTriesMax))
  yield* Effect.forkScoped(keepRunning(folder, current, redis))
  return {
    url: addressOf(redis.place),
    get pid() {
      return (current.redis ?? redis).process.pid
    },
  }
})
