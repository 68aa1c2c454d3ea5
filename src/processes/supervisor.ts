import { Clock, Deferred, Effect, Exit, Schema, Scope } from "effect"
import { limits } from "../../schema/limits.ts"
import type { SettingsShape } from "../config/settingsShape.ts"
import { type ListenFailed, listen } from "../http/server/listen.ts"
import { App, localPort } from "../http/server/uws.ts"
import { makeMetricsDesk } from "./metricsDesk.ts"
import type { Shutdown } from "./shutdown.ts"
import { startWorker, type WorkerEnd, type WorkerProcess } from "./workerProcess.ts"

/** A port that several workers listen on. */
interface SharedPort {
  readonly port: number
  /** Must run when the first worker listens; may run again. */
  readonly release: Effect.Effect<void>
}

/** Listens until the scope closes; returns the port. */
const hold = (host: string, port: number, isShared: boolean) =>
  Effect.gen(function* () {
    const app = yield* Effect.acquireRelease(Effect.sync(App), (opened) => Effect.sync(() => opened.close()))
    return localPort(yield* listen(app, host, port, isShared))
  })

/**
 * Finds the port that the workers share. Sharing a port needs no consent, so a taken port, even one of another
 * instance of the service, is refused here with {@link ListenFailed}. A port chosen by the operating system (0) is
 * held until `release` or the end of the scope; nobody knows it yet, so nobody connects.
 */
const findSharedPort = (host: string, port: number): Effect.Effect<SharedPort, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const found = yield* Effect.scoped(hold(host, port, false))
    if (port !== 0) return { port: found, release: Effect.void }
    const holding = yield* Scope.fork(yield* Scope.Scope)
    // A chosen port cannot be shared from the start, because the operating system gives it to one listener only.
    yield* Scope.provide(hold(host, found, true), holding)
    return { port: found, release: Scope.close(holding, Exit.void) }
  })

const delayMillisMin = 100
const delayMillisMax = 5_000
/** A worker that ran this long did not die of its start. */
const steadyMillis = 10_000

/** How long to wait before a worker is replaced (ms): twice as long as last time, up to a maximum. */
export const nextDelayMillis = (lastMillis: number | undefined, livedMillis: number): number =>
  lastMillis === undefined || livedMillis >= steadyMillis
    ? delayMillisMin
    : Math.min(lastMillis * 2, delayMillisMax)

/** A worker could not be started; `message` says why. */
class WorkerFailed extends Schema.TaggedError<WorkerFailed>()("WorkerFailed", {
  message: Schema.String,
}) {}

/** How often a worker that dies silently during the service's start is started. */
const startTriesMax = 3
/** Time for workers to close after draining; together with the stop of our own Redis it stays within 15 s. */
const closeTimeoutMillis = 800

const wordsOf = ({ sentence, how }: WorkerEnd): string =>
  sentence === undefined ? how : `${how}: ${sentence}`

/** Starts workers. When the scope closes, it asks all running ones to end, and kills those that do not. */
const makeCrew = (env: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    const running = new Set<WorkerProcess>()
    const endAll = Effect.gen(function* () {
      const last = [...running]
      for (const worker of last) worker.signal("SIGTERM")
      const gone = Effect.forEach(last, (worker) => worker.ended, { concurrency: "unbounded", discard: true })
      const inTime = yield* Effect.timeoutOption(gone, limits.drainTimeoutMillis + closeTimeoutMillis)
      if (inTime._tag === "Some") return
      for (const { number, pid } of running) {
        yield* Effect.logWarning(`Process ${number} (${pid}) did not end in time; killing it.`)
      }
      for (const worker of running) worker.signal("SIGKILL")
      yield* gone
    })
    yield* Effect.addFinalizer(() => endAll)
    const desk = yield* makeMetricsDesk(running)
    return (number: number) => startWorker(number, env, running, desk.scraped)
  })

type StartOne = (number: number) => Effect.Effect<WorkerProcess>

/** Completes when the worker listens, or with its end. */
const listeningOrEnd = (worker: WorkerProcess): Effect.Effect<WorkerEnd | undefined> =>
  Effect.raceFirst(Effect.as(worker.listening, undefined), worker.ended)

/** Starts the first worker of a number. One that says why it cannot start would say so again, and is not retried. */
const startFirst = Effect.fnUntraced(function* (startOne: StartOne, number: number) {
  for (let tries = 1; ; tries += 1) {
    const worker = yield* startOne(number)
    const end = yield* listeningOrEnd(worker)
    if (end === undefined) return worker
    if (end.sentence !== undefined) return yield* new WorkerFailed({ message: end.sentence })
    const ended = `Process ${number} (${worker.pid}) ended while it started (${end.how})`
    if (tries === startTriesMax) {
      return yield* new WorkerFailed({ message: `${ended}, ${tries} times in a row.` })
    }
    yield* Effect.logWarning(`${ended}; starting it again.`)
  }
})

/** Replaces the worker whenever it ends, waiting longer after workers that ran briefly. */
const keepFilled = Effect.fnUntraced(function* (startOne: StartOne, first: WorkerProcess) {
  const { number } = first
  let worker = first
  let delayMillis: number | undefined
  for (;;) {
    const end = yield* worker.ended
    const livedMillis = (yield* Clock.currentTimeMillis) - worker.startedMillis
    delayMillis = nextDelayMillis(delayMillis, livedMillis)
    yield* Effect.logWarning(
      `Process ${number} (${worker.pid}) ended (${wordsOf(end)}); starting another in ${delayMillis} ms.`,
    )
    yield* Effect.sleep(delayMillis)
    worker = yield* startOne(number)
    if ((yield* listeningOrEnd(worker)) === undefined) {
      yield* Effect.logInfo(`Process ${number} (${worker.pid}) listens.`)
    }
  }
})

/**
 * Runs `settings.processes` workers on one port and replaces each that dies, until asked to stop. It ends all workers
 * before its scope closes, also if it fails. The first worker starts alone: it prepares Redis, and a reason not to
 * start is reported once. Fails with that reason, or if the port is taken.
 */
export const supervise = Effect.fnUntraced(function* (
  settings: SettingsShape,
  options: {
    readonly redisUrl: string
    /** Runs when all workers listen. */
    readonly onListening: (address: { readonly host: string; readonly port: number }) => Effect.Effect<void>
  },
  { stop, listening }: Shutdown,
) {
  const { host, processes } = settings
  const { port, release } = yield* findSharedPort(host, settings.port)
  const env = { ...process.env, PORT: String(port), REDIS_URL: options.redisUrl }
  const startOne = yield* makeCrew(env)
  const startAndKeep = (number: number): Effect.Effect<void, WorkerFailed, Scope.Scope> =>
    Effect.flatMap(startFirst(startOne, number), (worker) =>
      Effect.asVoid(Effect.forkScoped(keepFilled(startOne, worker))),
    )
  yield* startAndKeep(1)
  yield* release
  const others = Array.from({ length: processes - 1 }, (_, i) => i + 2)
  yield* Effect.forEach(others, startAndKeep, { concurrency: "unbounded", discard: true })
  yield* options.onListening({ host, port })
  yield* Deferred.succeed(listening, undefined)
  const signal = yield* Deferred.await(stop)
  yield* Effect.logInfo(`${signal}: draining ${processes} processes`)
})
