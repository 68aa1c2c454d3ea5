import { Effect, Option } from "effect"
import { isRunning, processRecord } from "./processIdentity.ts"
import { awaitReady, foundRedis, type RunningRedis } from "./redisChild.ts"
import {
  changeFolder,
  newPlace,
  type RedisFolder,
  type RedisPlace,
  readPlace,
  readRecord,
  writeAddress,
} from "./redisFolder.ts"
import { type Probe, probeRedis, withConnection } from "./redisProbe.ts"
import { RedisServerError } from "./redisServerError.ts"

const askAgainMillis = 100
/** A recorded server that runs answers, or ends, within this: it may be starting or shutting down. */
const answerTimeoutMillis = 15_000
/** A server whose start was cut off before its process was recorded listens, or is not there, within this. */
const unrecordedTimeoutMillis = 2_000

/** Asks until our server answers, or until it is certain that none will. */
const lookFor = (folder: RedisFolder, place: RedisPlace): Effect.Effect<Probe | undefined> =>
  Effect.gen(function* () {
    for (;;) {
      const probe = yield* probeRedis(place)
      if (probe?.folder === folder.path) return probe
      const record = readRecord(folder.processFile)
      if (record !== undefined && !isRunning(record)) return undefined
      yield* Effect.sleep(askAgainMillis)
    }
  })

/** The settings that a server of ours must have, whoever started it. */
const setDurability = (place: RedisPlace): Effect.Effect<void> =>
  Effect.promise(() =>
    withConnection(place, async (redis) => {
      await redis.config("SET", "appendonly", "yes")
      await redis.config("SET", "appendfsync", "always")
      await redis.config("SET", "maxmemory-policy", "noeviction")
      await redis.config("SET", "save", "")
    }),
  )

/**
 * Has the server ask for its password; one that an earlier version started is given one. The file is first: whoever
 * finds us killed in between sends a password that the server does not ask for, and is heard.
 */
const secure = (folder: RedisFolder, found: RedisPlace): Effect.Effect<RedisPlace, RedisServerError> =>
  Effect.gen(function* () {
    const place = found.password === undefined ? newPlace(found.port) : found
    if (place !== found) yield* changeFolder(folder.path, () => writeAddress(folder, place))
    yield* requirePassword(place)
    return place
  })

/** Has the server ask for the password from now on; connections that it has stay. */
const requirePassword = (place: RedisPlace): Effect.Effect<void> =>
  Effect.promise(() =>
    withConnection(place, async (redis) => {
      await redis.config("SET", "requirepass", place.password ?? "")
    }),
  )

/**
 * The server that a killed process of ours left running on the folder, ready to use; undefined where there is none.
 * The address file says where to ask, and the answer must name the folder: any other Redis there is not ours.
 * Fails when one runs but does not answer: a second one on the same files would destroy them.
 */
export const leftOverRedis = (
  folder: RedisFolder,
): Effect.Effect<RunningRedis | undefined, RedisServerError> =>
  Effect.gen(function* () {
    const found = readPlace(folder)
    if (found === undefined) return undefined
    const recorded = readRecord(folder.processFile)
    const timeoutMillis = recorded === undefined ? unrecordedTimeoutMillis : answerTimeoutMillis
    const answer = Option.getOrUndefined(yield* Effect.timeoutOption(lookFor(folder, found), timeoutMillis))

    if (answer !== undefined) {
      const record = processRecord(answer.pid)
      if (record === undefined) return yield* serverElsewhere(folder)
      yield* awaitReady(folder, foundRedis(found, record))
      yield* setDurability(found)
      return foundRedis(yield* secure(folder, found), record)
    }
    if (recorded !== undefined && isRunning(recorded)) {
      return yield* new RedisServerError({
        message:
          `The redis-server that an earlier run left on ${folder.path} (process ${recorded.pid}) does not answer. ` +
          `Stop it with \`kill ${recorded.pid}\`, then start again.`,
      })
    }
    return undefined
  })

/** A container's server on a shared folder, say: it answers, but is no process that we could watch. */
const serverElsewhere = (folder: RedisFolder): Effect.Effect<never, RedisServerError> =>
  Effect.fail(
    new RedisServerError({
      message:
        `A redis-server outside of this machine's processes uses ${folder.path}. ` +
        `Stop it, or set REDIS_URL to what stands in ${folder.addressFile} to use it as it is.`,
    }),
  )
