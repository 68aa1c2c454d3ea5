import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Deferred, Effect } from "effect"
import { readMessage } from "./messages.ts"

const program = fileURLToPath(new URL("./worker.ts", import.meta.url))

/** How a worker ended. */
export interface WorkerEnd {
  /** What it said itself, in words for a user; undefined where it said nothing. */
  readonly sentence: string | undefined
  /** `exit code 1`, `SIGKILL`. */
  readonly how: string
}

/** A process that serves, and that this one started. */
export interface WorkerProcess {
  /** From 1; a worker that takes another's place has its number. */
  readonly number: number
  readonly pid: number
  readonly startedMillis: number
  /** Completes when it listens; never, where it ends before. */
  readonly listening: Effect.Effect<void>
  /** Completes when it is gone. */
  readonly ended: Effect.Effect<WorkerEnd>
  /** Sends it a signal, if it still runs. */
  readonly signal: (name: "SIGTERM" | "SIGINT" | "SIGKILL") => void
}

/** Starts a worker, which is in `running` from the same turn on until it is gone. Never fails. */
export const startWorker = (
  number: number,
  env: NodeJS.ProcessEnv,
  running: Set<WorkerProcess>,
): Effect.Effect<WorkerProcess> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      const listening = Deferred.makeUnsafe<void>()
      const ended = Deferred.makeUnsafe<WorkerEnd>()
      let sentence: string | undefined
      // Its output is ours: each line says by its annotation whose it is, and is there when we are gone.
      const child = fork(program, [String(number)], { env, stdio: "inherit" })
      child.on("message", (received) => {
        const message = readMessage(received)
        if (message?.kind === "listening") Deferred.doneUnsafe(listening, Effect.void)
        if (message?.kind === "failed") sentence = message.sentence
      })
      const end = (how: string) => {
        running.delete(worker)
        Deferred.doneUnsafe(ended, Effect.succeed({ sentence, how }))
      }
      child.once("error", (error) => {
        if (child.pid === undefined) end(error.message)
      })
      // Not "exit": what it said last is read by then.
      child.once("close", (code, signal) => end(signal ?? `exit code ${code}`))
      const worker: WorkerProcess = {
        number,
        pid: child.pid ?? 0,
        startedMillis: clock.currentTimeMillisUnsafe(),
        listening: Deferred.await(listening),
        ended: Deferred.await(ended),
        signal: (name) => void child.kill(name),
      }
      running.add(worker)
      return worker
    }),
  )
