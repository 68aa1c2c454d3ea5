import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Redis } from "ioredis"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { awaitReady, freePort, spawnRedis, stopRedis } from "../ownRedis/redisChild.ts"
import { changeFolder, makeRedisFolder, newAccess, replaceFile } from "../ownRedis/redisFolder.ts"
import type { RedisServerError } from "../ownRedis/redisServerError.ts"
import { snapshotName } from "./backupFolder.ts"
import { ask, connect } from "./servers.ts"

/** Whether this machine has a redis-server. */
export const hasRedisServer: Effect.Effect<boolean> = Effect.callback((resume) => {
  const child = execFile("redis-server", ["--version"], (error) => resume(Effect.succeed(error === null)))
  return Effect.sync(() => child.kill())
})

/** A folder of this user only, until the scope closes. */
const scratchFolder = Effect.flatMap(
  Effect.acquireRelease(
    changeFolder(tmpdir(), () => mkdtempSync(join(tmpdir(), "corrente-snapshot-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 })),
  ),
  makeRedisFolder,
)

/**
 * A connection to database `db` of a redis-server that has loaded the snapshot `file`, until the scope closes. It takes as much memory
 * as the server that the snapshot is of, and never writes the file. Fails where this machine has no redis-server, or none that can
 * load it.
 */
export const loadSnapshot = Effect.fn("loadSnapshot")(function* (
  file: string,
  db: number,
): Effect.fn.Return<Redis, RedisServerError | StoreUnavailable, Scope.Scope> {
  const folder = yield* scratchFolder
  yield* changeFolder(folder.path, () => symlinkSync(file, join(folder.path, snapshotName)))
  const access = newAccess(yield* freePort)
  const redis = yield* Effect.acquireRelease(
    spawnRedis(
      folder,
      access,
      (started) => replaceFile(folder.processFile, JSON.stringify(started.process)),
      { appendOnly: false },
    ),
    stopRedis,
  )
  yield* awaitReady(folder, redis)
  const login = { username: undefined, password: access.password, isTls: false }
  const loaded = yield* connect(login, { host: "127.0.0.1", port: access.port })
  yield* ask(loaded, "SELECT", db)
  return loaded
})
