import { Cause, Deferred, Effect, Exit } from "effect"

/** Shared by the signal handlers and the start of the process. */
export interface Shutdown {
  /** Completes with the name of the first signal that asks to stop. */
  readonly stop: Deferred.Deferred<string>
  /** Completes when the server listens; from then on, stopping means draining. */
  readonly listening: Deferred.Deferred<void>
}

/**
 * The first SIGTERM, SIGINT or SIGHUP (a closed terminal) asks to stop; further ones have no effect (`docs/operations.md`).
 */
export const makeShutdown: Effect.Effect<Shutdown> = Effect.gen(function* () {
  const stop = yield* Deferred.make<string>()
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => Deferred.doneUnsafe(stop, Effect.succeed(signal)))
  }
  return { stop, listening: yield* Deferred.make<void>() }
})

/** A stop during the start, which may take as long as Redis loads its data, cancels the start. */
const stopWhileStarting = Effect.fnUntraced(function* ({ stop, listening }: Shutdown) {
  const signal = yield* Deferred.await(stop)
  if (yield* Deferred.isDone(listening)) return yield* Effect.never
  yield* Effect.logInfo(`${signal}: not started`)
})

/**
 * Runs `start`, which returns after it has listened and was asked to stop. Interrupts it if the stop comes before it
 * listens.
 */
export const unlessStopped = <E, R>(
  shutdown: Shutdown,
  start: Effect.Effect<void, E, R>,
): Effect.Effect<void, E, R> => Effect.raceFirst(start, stopWhileStarting(shutdown))

/** Errors that users can fix speak for themselves; anything else is a defect and shows its cause. */
const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value as { readonly message?: string; readonly reason?: string }
    const text = error.message || error.reason
    if (text) return text
  }
  return Cause.pretty(cause)
}

/**
 * Whoever reads the output may end (`npm start | head`), and a terminal be closed, while the service serves. An error of these
 * streams that nobody hears would end this process alone, and leave its Redis running.
 */
const ignoreLostOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/**
 * Runs a program as this process. Exits with 0 when it ends. If it fails, passes the reason to `tell`, in words for a
 * user, and exits with 1 once `tell` calls `onSent`.
 */
export const runProcess = <E>(
  program: Effect.Effect<void, E>,
  tell: (sentence: string, onSent: () => void) => void,
): void => {
  ignoreLostOutput()
  Effect.runFork(program).addObserver((exit) => {
    if (Exit.isFailure(exit)) tell(sentenceOf(exit.cause), () => process.exit(1))
    else process.exit(0)
  })
}
