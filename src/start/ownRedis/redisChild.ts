import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { Effect } from "effect"
import { isRunning, type ProcessRecord, processRecord } from "./processIdentity.ts"
import {
  boundLog,
  changeFolder,
  folderError,
  lastLogLines,
  type RedisFolder,
  type RedisPlace,
} from "./redisFolder.ts"
import { probeRedis } from "./redisProbe.ts"
import { RedisServerError } from "./redisServerError.ts"

/** A redis-server of ours: one that we started, or one that we found. */
export interface RunningRedis {
  readonly place: RedisPlace
  readonly process: ProcessRecord
  /** Completes when the process is gone, by whatever cause. */
  readonly gone: Effect.Effect<void>
}

/** How often a process that is not our child is looked at: its end is noticed by looking only. */
const goneCheckMillis = 100
const readyCheckMillis = 20
/** A gigabyte of append-only file loads in seconds; longer than this, something else is wrong. */
const loadTimeoutMillis = 300_000
/** With every write on disk, killing a server that does not stop loses nothing; the drain has 15 s in all. */
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
 * Arguments of a redis-server that loses no write it has acknowledged (design rule 9): append-only, on disk before
 * the reply, nothing evicted. It listens to this machine alone. A file whose last write was cut is refused instead of
 * loaded: Redis cuts it in the middle of a commit, and applies the rest of that one at its next start (see
 * {@link repairCutWrite}).
 */
export const redisArguments = (port: number, folderPath: string): ReadonlyArray<string> => [
  ...["--port", String(port), "--bind", "127.0.0.1", "--protected-mode", "yes"],
  ...["--dir", folderPath, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
  ...["--aof-load-truncated", "no"],
  ...["--maxmemory-policy", "noeviction", "--daemonize", "no", "--logfile", "redis.log"],
]

const missingServer = (cause: Error): RedisServerError =>
  new RedisServerError({
    message:
      `redis-server could not be run (${(cause as NodeJS.ErrnoException).code ?? cause.message}). Install Redis 7.0 or ` +
      "later (on Debian and Ubuntu: apt-get install redis-server), or set REDIS_URL to a Redis that runs already.",
  })

const childGone = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once("exit", done)
    return Effect.sync(() => child.off("exit", done))
  })

/** Completes when a process that is not our child is gone. */
const strangerGone = (record: ProcessRecord): Effect.Effect<void> =>
  Effect.suspend(() =>
    isRunning(record) ? Effect.andThen(Effect.sleep(goneCheckMillis), strangerGone(record)) : Effect.void,
  )

/**
 * Starts the program and calls `onStarted` in the same turn, so that no interruption or crash of ours falls between.
 * It runs in a session of its own: a Ctrl-C meant for us must not end it before our last write.
 */
export const spawnRedis = (
  folder: RedisFolder,
  place: RedisPlace,
  onStarted: (redis: RunningRedis) => void,
): Effect.Effect<RunningRedis, RedisServerError> =>
  Effect.callback<RunningRedis, RedisServerError>((resume) => {
    // Its password comes by its input ("-"): anybody on this machine can read its arguments.
    const child = spawn("redis-server", ["-", ...redisArguments(place.port, folder.path)], {
      cwd: folder.path,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    })
    // One that has ended without reading it says why in its log.
    child.stdin.on("error", () => {})
    child.stdin.end(place.password === undefined ? "" : `requirepass ${place.password}\n`)
    child.once("error", (cause) => resume(Effect.fail(missingServer(cause))))
    if (child.pid === undefined) return
    child.unref()
    const record = processRecord(child.pid) ?? { pid: child.pid, startedAt: "" }
    const redis: RunningRedis = { place, process: record, gone: childGone(child) }
    try {
      onStarted(redis)
      resume(Effect.succeed(redis))
    } catch (cause) {
      resume(Effect.fail(folderError(folder.path, cause)))
    }
  })

/** A server that runs already and is not our child. */
export const foundRedis = (place: RedisPlace, record: ProcessRecord): RunningRedis => ({
  place,
  process: record,
  gone: strangerGone(record),
})

const untilReady = (redis: RunningRedis): Effect.Effect<{ readonly version: string }> =>
  Effect.flatMap(probeRedis(redis.place), (probe) =>
    probe?.state === "ready" && probe.pid === redis.process.pid
      ? Effect.succeed({ version: probe.version })
      : Effect.andThen(Effect.sleep(readyCheckMillis), untilReady(redis)),
  )

/** Waits until the server has loaded its data and answers. Fails when it ends before, with what it logged last. */
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
              "Install a newer one, or set REDIS_URL to one that runs already.",
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

/** Sends a signal to the very process that was recorded, if it still runs. */
const signal = (redis: RunningRedis, name: "SIGTERM" | "SIGKILL"): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      if (isRunning(redis.process)) process.kill(redis.process.pid, name)
    } catch {
      // It ended in between.
    }
  })

/** Asks the server to end, and ends it when it does not within two seconds. */
export const stopRedis = (redis: RunningRedis): Effect.Effect<void> =>
  Effect.andThen(signal(redis, "SIGTERM"), redis.gone).pipe(
    Effect.timeoutOrElse({
      duration: stopTimeoutMillis,
      orElse: () => Effect.andThen(signal(redis, "SIGKILL"), redis.gone),
    }),
  )

/** Makes room in the log before a start. */
export const prepareLog = (folder: RedisFolder): Effect.Effect<void, RedisServerError> =>
  changeFolder(folder.path, () => boundLog(folder))
