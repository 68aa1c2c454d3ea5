import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { serverOf } from "../ownRedis/folderServer.ts"
import { ownFolder } from "../ownRedis/ownership.ts"
import { awaitReady, freePort, type RunningRedis, spawnRedis, stopRedis } from "../ownRedis/redisChild.ts"
import {
  changeFolder,
  makeRedisFolder,
  newAccess,
  type RedisFolder,
  redisFolderOf,
  replaceFile,
} from "../ownRedis/redisFolder.ts"
import { withConnection } from "../ownRedis/redisProbe.ts"
import { RedisServerError } from "../ownRedis/redisServerError.ts"
import {
  type BackupManifest,
  copyVerified,
  type NodeSnapshot,
  readManifest,
  snapshotName,
} from "./backupFolder.ts"

/** Redis' append-only files, in its folder. */
const appendOnlyFolder = "appendonlydir"
/** Where Redis may keep data: its append-only files, in one file before Redis 7, or a snapshot. */
const dataNames = [appendOnlyFolder, "appendonly.aof", snapshotName]
const stagingName = "restoring"

const lookMillis = 100
/** A gigabyte is rewritten in seconds. */
const rewriteTimeoutMillis = 30 * 60 * 1000

/** A backup to restore. */
export interface RestoreOptions {
  readonly dataDir: string
  /** The folder of the backup. */
  readonly dir: string
  /** Puts existing data aside, where it would otherwise be refused. */
  readonly force: boolean
}

/** What a restore did. */
export interface Restored {
  readonly manifest: BackupManifest
  /** The folder that the data from before is in now; undefined where there was none. */
  readonly putAside: string | undefined
}

const invalidState = (message: string) => new ApiError({ code: "invalid_state", message })

/** Refuses while a server runs on the folder: of a killed service, or of a restore that was killed. */
const refuseRunning = (folder: RedisFolder): Effect.Effect<void, ApiError> =>
  Effect.suspend(() => {
    const staged = redisFolderOf(join(folder.path, stagingName))
    const folders = existsSync(staged.path) ? [folder, staged] : [folder]
    const running = folders.flatMap((one) => serverOf(one) ?? [])[0]
    return running === undefined
      ? Effect.void
      : Effect.fail(
          invalidState(
            `A redis-server (process ${running.pid}) still runs on ${folder.path}. End it with \`kill ${running.pid}\`, then restore.`,
          ),
        )
  })

const dataIn = (folder: RedisFolder): ReadonlyArray<string> =>
  dataNames.filter((name) => existsSync(join(folder.path, name)))

/** Makes Redis write its data as append-only files, and waits until they are whole. */
const rewriteAsAppendOnly = (redis: RunningRedis): Effect.Effect<void, RedisServerError> => {
  const ask = async () =>
    withConnection(redis.access, async (connection) => {
      const info = await connection.info("persistence")
      const has = (field: string) => new RegExp(`^${field}\\r?$`, "m").test(info)
      const isUnderWay = !has("aof_rewrite_in_progress:0") || !has("aof_rewrite_scheduled:0")
      return has("aof_enabled:1") && !isUnderWay ? has("aof_last_bgrewrite_status:ok") : undefined
    })
  const failed = (reason: string) =>
    new RedisServerError({ message: `Redis did not write the backup as append-only files: ${reason}.` })
  const reasonOf = (cause: unknown) => failed(cause instanceof Error ? cause.message : String(cause))
  return Effect.gen(function* () {
    yield* Effect.tryPromise({
      try: () => withConnection(redis.access, (connection) => connection.config("SET", "appendonly", "yes")),
      catch: reasonOf,
    })
    for (;;) {
      const isWhole = yield* Effect.tryPromise({ try: ask, catch: reasonOf })
      if (isWhole === true) return
      if (isWhole === false) return yield* failed("its rewrite failed")
      yield* Effect.sleep(lookMillis)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: rewriteTimeoutMillis,
      orElse: () => Effect.fail(failed(`it took longer than ${rewriteTimeoutMillis / 60_000} min`)),
    }),
  )
}

/**
 * Turns the snapshot in a folder into append-only files: a server loads it and writes them, which is Redis' own way. Put into
 * the data folder as it is, a snapshot would be ignored: with `appendonly yes` Redis would start empty.
 */
const convert = (staged: RedisFolder): Effect.Effect<void, RedisServerError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const access = newAccess(yield* freePort)
      const record = (redis: RunningRedis) => replaceFile(staged.processFile, JSON.stringify(redis.process))
      const redis = yield* Effect.acquireRelease(
        spawnRedis(staged, access, record, { appendOnly: false }),
        stopRedis,
      )
      yield* awaitReady(staged, redis)
      yield* rewriteAsAppendOnly(redis)
    }),
  )

/** The only snapshot of a backup; 400 at `dir` for one of several servers, or of another database than our own Redis has. */
const onlySnapshot = (dir: string, { nodes, db }: BackupManifest): Effect.Effect<NodeSnapshot, ApiError> => {
  const [node] = nodes
  if (node !== undefined && nodes.length === 1 && db === 0) return Effect.succeed(node)
  const what = db === 0 ? `${nodes.length} servers` : `database ${db}`
  return Effect.fail(
    validationFailed(
      "dir",
      `The backup in ${dir} is of ${what}. Set REDIS_URL to an empty Redis, which may be one server or a cluster.`,
    ),
  )
}

/** Copies the backup beside the data and converts it there. The copy must be what the manifest describes. */
const stage = Effect.fnUntraced(function* (folder: RedisFolder, dir: string, node: NodeSnapshot) {
  const staging = join(folder.path, stagingName)
  yield* changeFolder(folder.path, () => rmSync(staging, { recursive: true, force: true }))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => rmSync(staging, { recursive: true, force: true, maxRetries: 3 })),
  )
  const staged = yield* makeRedisFolder(staging)
  yield* copyVerified(dir, node, join(staged.path, snapshotName))
  yield* convert(staged)
  return join(staged.path, appendOnlyFolder)
})

/** Moves data into a folder of its own; undefined where there is none. Nothing is deleted. */
const putAside = Effect.fnUntraced(function* (folder: RedisFolder) {
  const names = dataIn(folder)
  if (names.length === 0) return undefined
  const nowText = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[:.]/g, "-")
  const aside = join(folder.path, `before-restore-${nowText}`)
  return yield* changeFolder(folder.path, () => {
    mkdirSync(aside, { mode: 0o700 })
    for (const name of names) renameSync(join(folder.path, name), join(aside, name))
    return aside
  })
})

/**
 * Restores a backup as the data of the Redis that `npm start` runs. Fails and changes nothing if a service or its Redis runs on the
 * data folder, if there is data and `force` is not set, or if the backup is not what its manifest says.
 */
export const restoreOwnRedis = Effect.fn("restoreOwnRedis")(function* ({
  dataDir,
  dir,
  force,
}: RestoreOptions): Effect.fn.Return<Restored, ApiError | RedisServerError, Scope.Scope> {
  const manifest = yield* readManifest(dir)
  const node = yield* onlySnapshot(dir, manifest)
  const folder = yield* makeRedisFolder(dataDir)
  yield* ownFolder(folder, dataDir)
  yield* refuseRunning(folder)
  if (!force && dataIn(folder).length > 0) {
    return yield* invalidState(
      `There is data in ${folder.path}. With --force it is put aside there, not deleted, and the backup takes its place.`,
    )
  }
  const restored = yield* stage(folder, dir, node)
  const aside = yield* putAside(folder)
  yield* changeFolder(folder.path, () => renameSync(restored, join(folder.path, appendOnlyFolder)))
  return { manifest, putAside: aside }
})
