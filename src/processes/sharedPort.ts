import { Effect, Exit, Scope } from "effect"
import { type ListenFailed, listen } from "../http/server/listen.ts"
import { App, localPort } from "../http/server/uws.ts"

/** A port that workers can listen on together. */
export interface SharedPort {
  readonly port: number
  /** To be run when the first of them listens; may be run again. */
  readonly release: Effect.Effect<void>
}

/** Listens until the scope closes, and gives the port. */
const hold = (host: string, port: number, isShared: boolean) =>
  Effect.gen(function* () {
    const app = yield* Effect.acquireRelease(Effect.sync(App), (opened) => Effect.sync(() => opened.close()))
    return localPort(yield* listen(app, host, port, isShared))
  })

/**
 * Finds the port that workers are to share. Sharing asks nobody, so a port that is taken, by another service of ours too,
 * is refused here, with {@link ListenFailed}. One that the system chose (0) is held until `release`, or the scope's end:
 * nobody knows it yet, so nobody connects.
 */
export const findSharedPort = (
  host: string,
  port: number,
): Effect.Effect<SharedPort, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const found = yield* Effect.scoped(hold(host, port, false))
    if (port !== 0) return { port: found, release: Effect.void }
    const holding = yield* Scope.fork(yield* Scope.Scope)
    // A port that is chosen cannot be shared from the beginning: the system gives it to one alone.
    yield* Scope.provide(hold(host, found, true), holding)
    return { port: found, release: Scope.close(holding, Exit.void) }
  })
