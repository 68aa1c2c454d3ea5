import { Cause, Deferred, Effect, Exit } from "effect"

/** What the process' signals and its start know of each other. */
export interface Shutdown {
  /** Done by the first signal that asks to stop, with its name. */
  readonly stop: Deferred.Deferred<string>
  /** Done when it listens: from then on stopping is draining. */
  readonly listening: Deferred.Deferred<void>
}

/** The shutdown of this process: its first SIGTERM or Ctrl-C asks to stop, and two are one (decisions 5). */
export const makeShutdown: Effect.Effect<Shutdown> = Effect.gen(function* () {
  const stop = yield* Deferred.make<string>()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => Deferred.doneUnsafe(stop, Effect.succeed(signal)))
  }
  return { stop, listening: yield* Deferred.make<void>() }
})

/** Asked to stop while it starts, which may take as long as a Redis loads, it leaves off. */
const stopWhileStarting = Effect.fnUntraced(function* ({ stop, listening }: Shutdown) {
  const signal = yield* Deferred.await(stop)
  if (yield* Deferred.isDone(listening)) return yield* Effect.never
  yield* Effect.logInfo(`${signal}: not started`)
})

/** Runs `start`, which ends by itself when it listens and is asked to stop, and leaves it off where that comes before. */
export const unlessStopped = <E, R>(
  shutdown: Shutdown,
  start: Effect.Effect<void, E, R>,
): Effect.Effect<void, E, R> => Effect.raceFirst(start, stopWhileStarting(shutdown))

/** What a user can mend is said in its own words; anything else is a defect and shows its cause. */
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
 * Runs a program as this process: it exits with 0 when that ends, and with 1 when it fails, after `tell` has been given
 * why, in words for a user, and has called back.
 */
export const runProcess = <E>(
  program: Effect.Effect<void, E>,
  tell: (sentence: string, onSent: () => void) => void,
): void => {
  Effect.runFork(program).addObserver((exit) => {
    if (Exit.isFailure(exit)) tell(sentenceOf(exit.cause), () => process.exit(1))
    else process.exit(0)
  })
}
