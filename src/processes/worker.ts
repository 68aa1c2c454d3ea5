import { Deferred, Effect, Redacted } from "effect"
import { limits } from "../../schema/limits.ts"
import { loadSettings } from "../config/settings.ts"
import { makeGatherReports } from "./gatherReports.ts"
import { LogLive } from "./logging.ts"
import { tellSupervisor } from "./messages.ts"
import { serveUntilStopped } from "./serving.ts"
import { makeShutdown, runProcess, type Shutdown, unlessStopped } from "./shutdown.ts"

/** Draining has its own limit; whatever is open after this is cut. */
const orphanMillisMax = limits.drainTimeoutMillis + 3_000

/** Stops when the supervisor is gone, for whatever reason: nobody else would ask to stop. */
const stopWithSupervisor = ({ stop }: Shutdown) =>
  Effect.sync(() => {
    const gone = () => {
      Deferred.doneUnsafe(stop, Effect.succeed("The supervisor is gone"))
      setTimeout(() => process.exit(1), orphanMillisMax).unref()
    }
    process.once("disconnect", gone)
    if (!process.connected) gone()
  })

/**
 * One of several serving processes. The supervisor passes settings in the environment and the worker's number as an
 * argument.
 */
const main = Effect.gen(function* () {
  const number = process.argv[2] ?? ""
  const shutdown = yield* makeShutdown
  yield* stopWithSupervisor(shutdown)
  const settings = yield* loadSettings(process.env)
  const options = {
    redisUrl: Redacted.value(settings.redisUrl ?? Redacted.make("")),
    isShared: true,
    warns: number === "1",
    gatherReports: yield* makeGatherReports(Number(number)),
    onListening: () => Effect.sync(() => tellSupervisor({ kind: "listening" })),
  }
  yield* unlessStopped(shutdown, serveUntilStopped(settings, options, shutdown)).pipe(
    Effect.annotateLogs("process", number),
    Effect.provide(LogLive(settings)),
  )
})

runProcess(main, (sentence, onSent) => tellSupervisor({ kind: "failed", sentence }, onSent))
