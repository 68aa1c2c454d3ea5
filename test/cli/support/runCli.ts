import { Readable } from "node:stream"
import { format } from "node:util"
import { Console, Deferred, Effect } from "effect"
import { StopRequest } from "../../../cli/feed.ts"
import { runCorrente } from "../../../cli/program.ts"
import { StartedAt } from "../../../cli/serviceTime.ts"
import { StandardInput } from "../../../src/ops/secretInput.ts"

/** What a command line printed, and its exit code. */
export interface CliRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** The lines of stdout, each of which must be a JSON object. */
  readonly objects: () => ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** A command line under way in this process. */
export interface RunningCli {
  readonly objects: CliRun["objects"]
  /** Asks it to end as Ctrl-C does, and waits until it has. */
  readonly stop: () => Promise<CliRun>
  readonly ended: Promise<CliRun>
}

const objectsIn = (text: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Starts `corrente` with nothing but this environment, in this process: a process of its own takes a second to start. */
export const startCli = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
  stdin = "",
): RunningCli => {
  let stdout = ""
  let stderr = ""
  const console: Console.Console = Object.assign(Object.create(globalThis.console), {
    log: (...parts: ReadonlyArray<unknown>) => {
      stdout += `${format(...parts)}\n`
    },
    error: (...parts: ReadonlyArray<unknown>) => {
      stderr += `${format(...parts)}\n`
    },
  })
  const stopped = Deferred.makeUnsafe<void>()
  const objects = () => objectsIn(stdout)
  const ended = Effect.runPromise(
    runCorrente(args, { environment, isTerminal }).pipe(
      Effect.provideService(Console.Console, console),
      Effect.provideService(StopRequest, Deferred.await(stopped)),
      Effect.provideService(StandardInput, Readable.from([stdin])),
      Effect.provideService(StartedAt, performance.now()),
    ),
  ).then((exitCode) => ({ exitCode, stdout, stderr, objects }))
  return {
    objects,
    ended,
    stop: () => {
      Effect.runSync(Deferred.succeed(stopped, undefined))
      return ended
    },
  }
}

/** Runs `corrente` to its end. */
export const runCli = (...started: Parameters<typeof startCli>): Promise<CliRun> => startCli(...started).ended
