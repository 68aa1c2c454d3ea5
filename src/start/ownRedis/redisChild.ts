import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { Effect } from "effect"
import { isRunning, type ProcessRecord, processRecord } from "./processIdentity.ts"
import {
  boundLog,
  changeFolder,
  folderError,
  lastLogLines,
  type RedisAccess,
  type RedisFolder,
} from "./redisFolder.ts"
import { probeRedis } from "./redisProbe.ts"
import { RedisServerError } from "./redisServerError.ts"

/** The folder's redis-server, which this process started or found running. */
export interface RunningRedis {
  readonly access: RedisAccess
  readonly process: ProcessRecord
  /** Completes when the process is gone, whatever the cause. */
  readonly gone: Effect.Effect<void>
}

/** How often to check a process that is not our child: nothing reports its end. */
const goneCheckMillis = 100
const readyCheckMillis = 20
/** A gigabyte of append-only file loads in seconds; if loading takes longer than this, something else is wrong. */
const loadTimeoutMillis = 300_000
/** Every write is on disk, so killing a server that does not stop loses nothing; the whole drain has 15 s. */
const stopTimeoutMillis = 2_000

/** A port of 127.0.0.1 that was free a moment ago. */
export const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)),
    )
  })
})

/**
 * Arguments of a redis-server that never loses an acknowledged write (docs/operations.md#redis):
 * append-only, on disk before the reply, no eviction. It listens on this machine only. It refuses to load a file whose
 * last write is truncated: Redis would truncate it in the middle of a commit, and apply the rest of that commit at a
 * later start (see {@link repairTruncatedWrite}). It keeps hashes with values of up to 2 KiB, as most charges and attempts are,
 * as lists, which take hundreds of bytes less than tables (docs/operations.md#redis). It sends a backup its snapshot at once, instead
 * of waiting five seconds for replicas that may join.
 */
export const redisArguments = (port: number, folderPath: string): ReadonlyArray<string> => [
  ...["--port", String(port), "--bind", "127.0.0.1", "--protected-mode", "yes"],
  ...["--dir", folderPath, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
  ...["--aof-load-truncated", "no"],
  ...["--maxmemory-policy", "noeviction", "--daemonize", "no", "--logfile", "redis.log"],
  ...["--hash-max-listpack-value", "2048"],
  ...["--repl-diskless-sync-delay", "0"],
]

const missingServer = (cause: Error): RedisServerError =>
  new RedisServerError({
    message:
      `redis-server could not be run (${(cause as NodeJS.ErrnoException).code ?? cause.message}). Install Redis 7.0 or ` +
      "later (on Debian and Ubuntu: apt-get install redis-server), or set REDIS_URL to a Redis that already runs.",
  })

const childGone = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once("exit", done)
    return Effect.sync(() => child.off("exit", done))
  })

/** Completes when a process that is not our child has ended. */
const otherProcessGone = (record: ProcessRecord): Effect.Effect<void> =>
  Effect.suspend(() =>
    isRunning(record) ? Effect.andThen(Effect.sleep(goneCheckMillis), otherProcessGone(record)) : Effect.void,
  )

/**
 * Starts the program and calls `onStarted` in the same turn, so that no interruption can come in between. The server
 * runs in its own session: a Ctrl-C meant for us must not end it before our last write. Without `appendOnly` it loads the folder's
 * snapshot instead of its append-only files.
 */
export const spawnRedis = (
  folder: RedisFolder,
  access: RedisAccess,
  onStarted: (redis: RunningRedis) => void,
  how: { readonly appendOnly: boolean } = { appendOnly: true },
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.callback<RunningRedis, RedisServerError>((resume) => {
    // Its password goes to stdin ("-"): every user of this machine can read its arguments.
    const args = redisArguments(access.port, folder.path)
    // The last one counts.
    const child = spawn("redis-server", ["-", ...args, ...(how.appendOnly ? [] : ["--appendonly", "no"])], {
      cwd: folder.path,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    // If it exits without reading stdin, its log says why.
    child.stdin.on("error", () => {})
    child.stdin.end(`requirepass ${access.password}\n`)
    child.once("error", (cause) => resume(Effect.fail(missingServer(cause))))
    if (child.pid === undefined) return
    child.unref()
    const record = processRecord(child.pid) ?? { pid: child.pid, startedAt: "" }
    const redis: RunningRedis = { access, process: record, gone: childGone(child) }
    try {
      onStarted(redis)
      resume(Effect.succeed(redis))
    } catch (cause) {
      resume(Effect.fail(folderError(folder.path, cause)))
    }
  })

/** A server that already runs and is not our child. */
export const existingRedis = (access: RedisAccess, record: ProcessRecord): RunningRedis => ({
  access,
  process: record,
  gone: otherProcessGone(record),
})

const untilReady = (redis: RunningRedis): Effect.Effect<{ readonly version: string }> =>
  Effect.flatMap(probeRedis(redis.access), (probe) =>
    probe?.state === "ready" && probe.pid === redis.process.pid
      ? Effect.succeed({ version: probe.version })
      : Effect.andThen(Effect.sleep(readyCheckMillis), untilReady(redis)),
  )

/** Waits until the server has loaded its data and answers. If it exits first, fails with the last lines of its log. */
export const awaitReady = (
  folder: RedisFolder,
  redis: RunningRedis,
): Effect.Effect<void, RedisServerError> => {
  const ended = Effect.andThen(
    redis.gone,
    Effect.suspend(() =>
      Effect.fail(
        new RedisServerError({
          message:
            `redis-server ended while starting in ${folder.path}. Its last lines (${folder.logFile}):\n` +
            lastLogLines(folder, 5),
        }),
      ),
    ),
  )
  const checked = Effect.flatMap(untilReady(redis), ({ version }) =>
    Number.parseInt(version, 10) >= 7
      ? Effect.void
      : Effect.fail(
          new RedisServerError({
            message:
              `redis-server ${version} is too old: Corrente needs 7.0 or later, for its function library. ` +
              "Install a newer one, or set REDIS_URL to a Redis that already runs.",
          }),
        ),
  )
  return Effect.raceFirst(checked, ended).pipe(
    Effect.timeoutOrElse({
      duration: loadTimeoutMillis,
      orElse: () =>
        Effect.fail(
          new RedisServerError({
            message:
              `redis-server (process ${redis.process.pid}) has not finished loading ${folder.path} after ` +
              `${loadTimeoutMillis / 1000} s. See ${folder.logFile}, then start again.`,
          }),
        ),
    }),
  )
}

/** Sends a signal to the recorded process, if it still runs. */
const signal = (redis: RunningRedis, name: "SIGTERM" | "SIGKILL"): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      if (isRunning(redis.process)) process.kill(redis.process.pid, name)
    } catch {
      // It has just ended.
    }
  })

/** Asks the server to exit, and kills it after two seconds. */
export const stopRedis = (redis: RunningRedis): Effect.Effect<void> =>
  Effect.andThen(signal(redis, "SIGTERM"), redis.gone).pipe(
    Effect.timeoutOrElse({
      duration: stopTimeoutMillis,
      orElse: () => Effect.andThen(signal(redis, "SIGKILL"), redis.gone),
    }),
  )

/** Rotates a large log before a start. */
export const prepareLog = (folder: RedisFolder): Effect.Effect<void, RedisServerError> =>
  changeFolder(folder.path, () => boundLog(folder))
