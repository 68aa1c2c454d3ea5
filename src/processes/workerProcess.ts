import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Deferred, Effect } from "effect"
import type { Report } from "../scrape/series.ts"
import { Asked } from "./asked.ts"
import { readMessage, type SupervisorMessage } from "./messages.ts"

const program = fileURLToPath(new URL("./worker.ts", import.meta.url))

/** How a worker ended. */
export interface WorkerEnd {
  /** The reason it reported, in words for a user; undefined if it reported none. */
  readonly sentence: string | undefined
  /** For example `exit code 1` or `SIGKILL`. */
  readonly how: string
}

/** A serving process started by the supervisor. */
export interface WorkerProcess {
  /** From 1; a replacement keeps the number. */
  readonly number: number
  readonly pid: number
  readonly startedMillis: number
  /** Completes when the worker listens; never if it ends before. */
  readonly listening: Effect.Effect<void>
  readonly isListening: () => boolean
  /** The worker's own metrics; never if it does not answer. */
  readonly report: Effect.Effect<Report>
  /** Sends a message if the worker still runs. */
  readonly tell: (message: SupervisorMessage) => void
  /** Completes when the worker has ended. */
  readonly ended: Effect.Effect<WorkerEnd>
  /** Sends a signal if the worker still runs. */
  readonly signal: (name: "SIGTERM" | "SIGINT" | "SIGKILL") => void
}

/**
 * Starts a worker and keeps it in `running` until it has ended. `onScrape` is called when it wants the metrics of all. Never fails.
 */
export const startWorker = (
  number: number,
  env: NodeJS.ProcessEnv,
  running: Set<WorkerProcess>,
  onScrape: (worker: WorkerProcess) => void,
): Effect.Effect<WorkerProcess> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      const listening = Deferred.makeUnsafe<void>()
      const ended = Deferred.makeUnsafe<WorkerEnd>()
      const reported = new Asked<Report>()
      let sentence: string | undefined
      // Workers write to our output directly: each line is annotated with the worker's number, and survives our end.
      const child = fork(program, [String(number)], { env, stdio: "inherit" })
      child.on("message", (received) => {
        const message = readMessage(received)
        if (message?.kind === "listening") Deferred.doneUnsafe(listening, Effect.void)
        if (message?.kind === "failed") sentence = message.sentence
        if (message?.kind === "report") reported.answer(message.report)
        if (message?.kind === "scrape") onScrape(worker)
      })
      const end = (how: string) => {
        running.delete(worker)
        Deferred.doneUnsafe(ended, Effect.succeed({ sentence, how }))
      }
      child.once("error", (error) => {
        if (child.pid === undefined) end(error.message)
      })
      // Not "exit": by "close", its last messages have been read.
      child.once("close", (code, signal) => end(signal ?? `exit code ${code}`))
      const tell = (message: SupervisorMessage) => {
        // A worker that has just ended gets nothing; without the callback that would be an error event.
        if (child.connected) child.send(message, () => {})
      }
      const worker: WorkerProcess = {
        number,
        pid: child.pid ?? 0,
        startedMillis: clock.currentTimeMillisUnsafe(),
        listening: Deferred.await(listening),
        isListening: () => Deferred.isDoneUnsafe(listening),
        report: reported.wait(() => tell({ kind: "report" })),
        tell,
        ended: Deferred.await(ended),
        signal: (name) => void child.kill(name),
      }
      running.add(worker)
      return worker
    }),
  )
