import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { RedisServerError } from "./redisServerError.ts"

/** What Redis logs last if the end of its append-only file is missing and `aof-load-truncated` is `no`. */
const refusal = "Unexpected end of file reading the append only file"

/** Whether these lines of its log say that Redis exited because of a truncated write. */
export const endedByTruncatedWrite = (logLines: string): boolean => logLines.includes(refusal)

/** The append-only file that was written last: Redis' manifest lists them in order. */
const lastFileOf = (folderPath: string): string => {
  const folder = join(folderPath, "appendonlydir")
  const manifest = readFileSync(join(folder, "appendonly.aof.manifest"), "utf8")
  const names = [...manifest.matchAll(/^file (\S+) seq \d+ type [bi]$/gm)].map(([, name]) => name)
  return join(folder, names.at(-1) ?? "appendonly.aof")
}

/** Runs Redis' repair tool, which is the server's program under another name, and returns what it printed. */
const runCheck = (file: string): Effect.Effect<string, Error> =>
  Effect.callback((resume) => {
    const child = spawn("redis-server", ["--fix", file], { argv0: "redis-check-aof" })
    let output = ""
    child.stdout.on("data", (text: Buffer) => {
      output += text.toString()
    })
    child.once("error", (cause) => resume(Effect.fail(cause)))
    child.once("close", (code) =>
      resume(code === 0 ? Effect.succeed(output) : Effect.fail(new Error(output))),
    )
    // It asks before it truncates the file; if there is nothing to truncate, it has already exited.
    child.stdin.on("error", () => {})
    child.stdin.end("y\n")
    return Effect.sync(() => child.kill())
  })

/**
 * Removes an incomplete commit from the append-only file of a Redis that was killed, or lost power, while writing it.
 * That commit was never acknowledged, so no part of it may come back. Redis itself would truncate the file after the last
 * whole command, which leaves an open MULTI: at the second start from then, its commands join a later commit
 * (valkey-io/valkey pull request 4342 describes it). The repair tool truncates before the MULTI.
 */
export const repairTruncatedWrite = (folderPath: string): Effect.Effect<void, RedisServerError> =>
  Effect.gen(function* () {
    const file = yield* Effect.try(() => lastFileOf(folderPath))
    const output = yield* runCheck(file)
    yield* Effect.logWarning(
      `A crash truncated the last write to ${file} before it was acknowledged; removed it: ` +
        (output.match(/size=.+/)?.[0] ?? "size unknown"),
    )
  }).pipe(
    Effect.catch((cause) =>
      Effect.fail(
        new RedisServerError({
          message:
            `A crash truncated the last write to Redis' append-only file in ${folderPath}, and removing it failed ` +
            `(${cause.message.trim()}). Run: redis-check-aof --fix ${folderPath}/appendonlydir/appendonly.aof.manifest`,
        }),
      ),
    ),
  )
