/**
 * The Redis that `npm start` runs by itself. It exists only where REDIS_URL is not set: on a developer's machine or a
 * single server. `src/main.ts` starts it before the service and stops it after; `ops` and the demo find it by the files
 * in `<DATA_DIR>/redis` ({@link redisUrlFor}). A deployment with its own Redis sets REDIS_URL and never runs this code.
 * docs/operations.md#own-redis says why it is here.
 *
 * - `ownRedisServer.ts`: start, watch, restart, stop
 * - `redisFolder.ts`: the files; `ownership.ts`: one owner per folder; `processIdentity.ts`: pids that cannot be mixed up
 * - `redisChild.ts`: the child process and its arguments; `redisProbe.ts`: asks a port which Redis answers
 * - `folderServer.ts`: the server that runs on a folder
 * - `leftOverRedis.ts`, `truncatedWrite.ts`: recovery after our process, or the machine, was killed
 * - `../backups`: `ops backup` and `ops restore`
 * - `redisUrlFor.ts`: the URL for commands beside the service
 */

import { rmSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { leftOverRedis } from "./leftOverRedis.ts"
import { ownFolder } from "./ownership.ts"
import { awaitReady, freePort, prepareLog, type RunningRedis, spawnRedis, stopRedis } from "./redisChild.ts"
import {
  addressOf,
  changeFolder,
  lastLogLines,
  makeRedisFolder,
  newAccess,
  type RedisAccess,
  type RedisFolder,
  removeServerFiles,
  replaceFile,
  writeAddress,
} from "./redisFolder.ts"
import type { RedisServerError } from "./redisServerError.ts"
import { endedByTruncatedWrite, repairTruncatedWrite } from "./truncatedWrite.ts"

/** The running server. */
export interface OwnRedisServer {
  /** `redis://default:<password>@127.0.0.1:<port>`; the same after a restart of the server. */
  readonly url: string
  /** The server's current process id. */
  readonly pid: number
}

/** Tries with new ports when another program takes the port between our choice and the server's start. */
const portTriesMax = 5
const restartDelayMinMillis = 50
const restartDelayMaxMillis = 5_000

/** The current server; undefined before the first start. */
interface Current {
  redis: RunningRedis | undefined
}

/** Starts a server on the port and waits until it is ready. */
const startOnce = (
  folder: RedisFolder,
  current: Current,
  access: RedisAccess,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.gen(function* () {
    yield* prepareLog(folder)
    // The address is written first, the process last: if we are killed in between, the next start knows where to look.
    yield* changeFolder(folder.path, () => {
      rmSync(folder.processFile, { force: true })
      writeAddress(folder, access)
    })
    const redis = yield* spawnRedis(folder, access, (started) => {
      current.redis = started
      replaceFile(folder.processFile, JSON.stringify(started.process))
    })
    // A server that runs but cannot be used must be gone before another opens the same files.
    yield* Effect.tapError(awaitReady(folder, redis), () => stopRedis(redis))
    return redis
  })

/** Starts a server; repairs a truncated write and starts again if that is what stopped it. */
const startOn = (
  folder: RedisFolder,
  current: Current,
  access: RedisAccess,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.catch(startOnce(folder, current, access), (error) =>
    endedByTruncatedWrite(lastLogLines(folder, 3))
      ? Effect.andThen(repairTruncatedWrite(folder.path), startOnce(folder, current, access))
      : Effect.fail(error),
  )

const startOnFreePort = (
  folder: RedisFolder,
  current: Current,
  triesLeft: number,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.flatMap(freePort, (port) => startOn(folder, current, newAccess(port))).pipe(
    Effect.catch((error) =>
      triesLeft > 1 && lastLogLines(folder, 5).includes("Address already in use")
        ? startOnFreePort(folder, current, triesLeft - 1)
        : Effect.fail(error),
    ),
  )

/** Restarts the server until it runs, waiting longer after each failure. */
const startAgain = (
  folder: RedisFolder,
  current: Current,
  access: RedisAccess,
  delayMillis: number,
): Effect.Effect<RunningRedis> =>
  Effect.andThen(Effect.sleep(delayMillis), startOn(folder, current, access)).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logError(`Cannot restart our own Redis: ${error.message}`),
        startAgain(folder, current, access, Math.min(delayMillis * 2, restartDelayMaxMillis)),
      ),
    ),
  )

/** Restarts the server whenever it ends, until interrupted. */
const keepRunning = (folder: RedisFolder, current: Current, first: RunningRedis): Effect.Effect<never> =>
  Effect.gen(function* () {
    let redis = first
    for (;;) {
      yield* redis.gone
      yield* Effect.logWarning(
        `Our own Redis (process ${redis.process.pid}) ended; restarting it on its port.`,
      )
      redis = yield* startAgain(folder, current, redis.access, restartDelayMinMillis)
      yield* Effect.logInfo(`Our own Redis runs again (process ${redis.process.pid}).`)
    }
  })

/**
 * Runs a redis-server under `<dataDir>/redis` until the scope closes: append-only with fsync before each reply, no
 * eviction, on a free port of 127.0.0.1. Takes over a server that a killed process left running, restarts it on the same
 * port when it dies, and stops it when the scope closes. `<dataDir>/redis/address`, readable by this user only, holds its
 * URL with the password of its first start. Completes when the data is loaded. Fails, saying what to do, if another live
 * process owns the folder, the folder is not writable, redis-server is missing or too old, or it exits while starting.
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
      Effect.sync(() => removeServerFiles(folder)),
    ),
  )
  if (found !== undefined) {
    yield* Effect.logInfo(
      `Taking over the Redis that an earlier run left running (process ${found.process.pid}).`,
    )
  }
  const redis = found ?? (yield* startOnFreePort(folder, current, portTriesMax))
  yield* Effect.forkScoped(keepRunning(folder, current, redis))
  return {
    url: addressOf(redis.access),
    get pid() {
      return (current.redis ?? redis).process.pid
    },
  }
})
