import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Redis } from "ioredis"
import type { ApiError } from "../../../schema/errors.ts"
import {
  type BackupManifest,
  copyFile,
  makeBackupFolder,
  snapshotName,
  writeManifest,
} from "./backupFiles.ts"
import { changeFolder, type RedisAccess, readAccess, redisFolderOf } from "./redisFolder.ts"
import { withConnection } from "./redisProbe.ts"
import { RedisServerError } from "./redisServerError.ts"

/** Looks at a snapshot under way so often. */
const lookMillis = 100
/** A gigabyte is written in seconds; a snapshot that takes longer than this is stuck. */
const snapshotTimeoutMillis = 30 * 60 * 1000

/** A backup to make. */
export interface BackupOptions {
  readonly dataDir: string
  /** A folder that is new or empty. */
  readonly dir: string
  /** The service's version, and that of its function library in Redis. */
  readonly version: string
  readonly libraryVersion: string
}

const failed = (reason: string) =>
  new RedisServerError({ message: `Redis made no snapshot: ${reason}. The log beside its data says more.` })

const ask = <A>(access: RedisAccess, body: (redis: Redis) => Promise<A>) =>
  Effect.tryPromise({
    try: () => withConnection(access, body),
    catch: (cause) => failed(cause instanceof Error ? cause.message : String(cause)),
  })

const fieldOf = (info: string, name: string): string =>
  new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? ""

/** Starts a snapshot, once none is under way that began before; what it shows of the server at its start. */
const startSnapshot = (access: RedisAccess) =>
  Effect.gen(function* () {
    for (;;) {
      const started = yield* ask(access, async (redis) => {
        const [seconds, microseconds] = await redis.time()
        const shown = {
          takenMillis: Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000),
          keys: await redis.dbsize(),
          redisVersion: fieldOf(await redis.info("server"), "redis_version"),
        }
        const answer = await redis.call("BGSAVE").catch((cause: Error) => cause)
        if (!(answer instanceof Error)) return shown
        // Another snapshot, or a rewrite of the append-only file.
        if (/in progress|Another child process/i.test(answer.message)) return undefined
        throw answer
      })
      if (started !== undefined) return started
      yield* Effect.sleep(lookMillis)
    }
  })

const awaitSnapshot = (access: RedisAccess) =>
  Effect.gen(function* () {
    for (;;) {
      const info = yield* ask(access, (redis) => redis.info("persistence"))
      if (fieldOf(info, "rdb_bgsave_in_progress") === "0") {
        const status = fieldOf(info, "rdb_last_bgsave_status")
        return status === "ok" ? undefined : yield* failed(`its last background save ended with "${status}"`)
      }
      yield* Effect.sleep(lookMillis)
    }
  })

/**
 * Backs up the Redis that `npm start` runs, while it serves: a snapshot of one moment, copied to `dir` and hashed, with its
 * manifest. Everything that was acknowledged before the call is in it. Fails, saying what to do, if none runs, `dir` is not empty,
 * or Redis cannot write.
 */
export const backUpOwnRedis = Effect.fn("backUpOwnRedis")(function* (
  options: BackupOptions,
): Effect.fn.Return<BackupManifest, ApiError | RedisServerError> {
  const { dataDir, dir } = options
  const folder = redisFolderOf(dataDir)
  const access = readAccess(folder)
  if (access === undefined) {
    return yield* new RedisServerError({ message: `No Redis runs for the data folder ${dataDir}.` })
  }
  yield* makeBackupFolder(dir)
  const started = yield* startSnapshot(access).pipe(
    Effect.tap(awaitSnapshot(access)),
    Effect.timeoutOrElse({
      duration: snapshotTimeoutMillis,
      orElse: () => Effect.fail(failed(`none was ready after ${snapshotTimeoutMillis / 60_000} min`)),
    }),
  )
  const snapshot = join(folder.path, snapshotName)
  const copied = yield* copyFile(snapshot, join(dir, snapshotName))
  // Redis does not read it: its data is in the append-only file.
  yield* changeFolder(folder.path, () => rmSync(snapshot, { force: true }))
  const manifest: BackupManifest = {
    format: 1,
    taken_at: new Date(started.takenMillis).toISOString(),
    version: options.version,
    library_version: options.libraryVersion,
    redis_version: started.redisVersion,
    keys: started.keys,
    ...copied,
  }
  yield* writeManifest(dir, manifest)
  return manifest
})
