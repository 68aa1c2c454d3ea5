import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { RedisServerError } from "./redisServerError.ts"

/** What Redis says last when the end of its append-only file is missing, and `aof-load-truncated` is `no`. */
const refusal = "Unexpected end of file reading the append only file"

/** Whether these lines of its log tell that it ended for a cut write. */
export const tellsOfCutWrite = (logLines: string): boolean => logLines.includes(refusal)

/** The append-only file that was written last, of those that Redis' manifest names in their order. */
const lastFileOf = (folderPath: string): string => {
  const folder = join(folderPath, "appendonlydir")
  const manifest = readFileSync(join(folder, "appendonly.aof.manifest"), "utf8")
  const names = [...manifest.matchAll(/^file (\S+) seq \d+ type [bi]$/gm)].map(([, name]) => name)
  return join(folder, names.at(-1) ?? "appendonly.aof")
}

/** Runs Redis' own tool for it: the server's program under another name. Completes with what it printed. */
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
    // It asks before it cuts the file; where it need not, it has ended by then.
    child.stdin.on("error", () => {})
    child.stdin.end("y\n")
    return Effect.sync(() => child.kill())
  })

/**
 * Takes the rest of a commit out of the append-only file of a Redis that was killed, or lost its power, in the middle of
 * writing it. Nobody was told of that commit, so it must not come back in part. Redis itself would cut the file after the
 * last whole command, which leaves an open MULTI: at the start after the next, its commands join a later commit
 * (valkey-io/valkey pull request 4342 describes it). Its checking tool cuts before the MULTI.
 */
export const repairCutWrite = (folderPath: string): Effect.Effect<void, RedisServerError> =>
  Effect.gen(function* () {
    const file = yield* Effect.try(() => lastFileOf(folderPath))
    const output = yield* runCheck(file)
    yield* Effect.logWarning(
      `The last write to ${file} was cut by a crash, before anybody was told of it; it was taken out: ` +
        (output.match(/size=.+/)?.[0] ?? "see above"),
    )
  }).pipe(
    Effect.catch((cause) =>
      Effect.fail(
        new RedisServerError({
          message:
            `The last write to Redis' append-only file in ${folderPath} was cut by a crash, and could not be taken out ` +
            `(${cause.message.trim()}). Run: redis-check-aof --fix ${folderPath}/appendonlydir/appendonly.aof.manifest`,
        }),
      ),
    ),
  )
