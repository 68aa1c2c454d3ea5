import { Effect, Exit, Scope } from "effect"
import { type ListenFailed, listen } from "../http/server/listen.ts"
import { App, localPort } from "../http/server/uws.ts"

/** A port that several workers listen on. */
export interface SharedPort {
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
export const findSharedPort = (
  host: string,
  port: number,
): Effect.Effect<SharedPort, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const found = yield* Effect.scoped(hold(host, port, false))
    if (port !== 0) return { port: found, release: Effect.void }
    const holding = yield* Scope.fork(yield* Scope.Scope)
    // A chosen port cannot be shared from the start, because the operating system gives it to one listener only.
    yield* Scope.provide(hold(host, found, true), holding)
    return { port: found, release: Scope.close(holding, Exit.void) }
  })
