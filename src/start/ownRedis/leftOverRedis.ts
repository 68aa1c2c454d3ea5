import { Effect, Option } from "effect"
import { serverOf } from "./folderServer.ts"
import { processRecord } from "./processIdentity.ts"
import { awaitReady, existingRedis, type RunningRedis } from "./redisChild.ts"
import { type RedisAccess, type RedisFolder, readAccess, readRecord } from "./redisFolder.ts"
import { type Probe, probeRedis, withConnection } from "./redisProbe.ts"
import { RedisServerError } from "./redisServerError.ts"

const retryMillis = 100
/** A recorded server answers or exits within this time: it may be starting or shutting down. */
const answerTimeoutMillis = 15_000
/** If we died before recording a server's process, it listens within this time or does not run. */
const unrecordedTimeoutMillis = 2_000

/** Retries until our server answers; undefined once it is certain that none will. */
const awaitAnswer = (folder: RedisFolder, access: RedisAccess): Effect.Effect<Probe | undefined> =>
  Effect.gen(function* () {
    for (;;) {
      const probe = yield* probeRedis(access)
      if (probe?.folder === folder.path) return probe
      if (readRecord(folder.processFile) !== undefined && serverOf(folder) === undefined) return undefined
      yield* Effect.sleep(retryMillis)
    }
  })

/** Applies the settings that our server must have, whichever version started it. */
const setDurability = (access: RedisAccess): Effect.Effect<void> =>
  Effect.promise(() =>
    withConnection(access, async (redis) => {
      await redis.config("SET", "appendonly", "yes")
      await redis.config("SET", "appendfsync", "always")
      await redis.config("SET", "maxmemory-policy", "noeviction")
      await redis.config("SET", "save", "")
    }),
  )

/**
 * The server that a killed process of ours left running on the folder, ready to use; undefined if there is none. The
 * address file says where it listens, and its answer must name the folder: any other Redis there is not ours. Fails if
 * a server runs but does not answer: a second one on the same files would destroy them.
 */
export const leftOverRedis = (
  folder: RedisFolder,
): Effect.Effect<RunningRedis | undefined, RedisServerError> =>
  Effect.gen(function* () {
    const found = readAccess(folder)
    if (found === undefined) return yield* refuseIfRunning(folder)
    const isKnown = readRecord(folder.processFile) !== undefined || serverOf(folder) !== undefined
    const timeoutMillis = isKnown ? answerTimeoutMillis : unrecordedTimeoutMillis
    const answer = Option.getOrUndefined(
      yield* Effect.timeoutOption(awaitAnswer(folder, found), timeoutMillis),
    )

    if (answer !== undefined) {
      const record = processRecord(answer.pid)
      if (record === undefined) return yield* serverElsewhere(folder)
      yield* awaitReady(folder, existingRedis(found, record))
      yield* setDurability(found)
      return existingRedis(found, record)
    }
    return yield* refuseIfRunning(folder)
  })

/** Fails while a server runs on the folder that does not answer where the address file says, if there is one. */
const refuseIfRunning = (folder: RedisFolder): Effect.Effect<undefined, RedisServerError> =>
  Effect.suspend(() => {
    const running = serverOf(folder)
    if (running === undefined) return Effect.undefined
    return Effect.fail(
      new RedisServerError({
        message:
          `The redis-server that an earlier run left on ${folder.path} (process ${running.pid}) does not answer. ` +
          `Stop it with \`kill ${running.pid}\`, then start again.`,
      }),
    )
  })

/** For example a container's server on a shared folder: it answers, but we cannot watch its process. */
const serverElsewhere = (folder: RedisFolder): Effect.Effect<never, RedisServerError> =>
  Effect.fail(
    new RedisServerError({
      message:
        `A redis-server that is not a process of this machine uses ${folder.path}. ` +
        `Stop it, or set REDIS_URL to the content of ${folder.addressFile} to use it as it is.`,
    }),
  )
