import { Context, Effect, Stream } from "effect"
import type { ConnectionState, Event, ReplayGap, SubscribeOptions } from "../client/src/index.ts"
import { ApiError } from "../schema/errors.ts"
import { readTypesFilter } from "../schema/eventChecks.ts"
import { limits } from "../schema/limits.ts"
import { type CliFailure, usageFailure } from "./failure.ts"
import type { Session } from "./session.ts"

/**
 * Follows the feed live, from one event to the next, over restarts of the service; ends with its scope. `tellConnection` is run
 * whenever the connection opens or breaks, before what that connection brings; it may not wait for anything.
 */
export const followFeed = <R>(
  { corrente, failureOf }: Session,
  options: Pick<SubscribeOptions, "types" | "after">,
  tellConnection: (state: ConnectionState) => Effect.Effect<void, never, R>,
): Stream.Stream<Event | ReplayGap, CliFailure, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (open) => Effect.sync(() => open.abort()),
      )
      const tell = Effect.runSyncWith(yield* Effect.context<R>())
      const onConnection = (state: ConnectionState) => tell(tellConnection(state))
      return Stream.fromAsyncIterable(
        corrente.events.subscribe({ ...options, signal, onConnection }),
        failureOf,
      )
    }),
  )

/** Checks a list of types: one that is neither a type nor a family is `usage`, with those that there are. */
export const readTypes = Effect.fnUntraced(function* (flag: string, text: string | undefined) {
  if (text === undefined) return undefined
  const filter = readTypesFilter(text, limits.typesFilterMax)
  if (filter instanceof ApiError) return yield* usageFailure(flag, filter.message)
  return text.split(",").map((type) => type.trim())
})

/** Waits for SIGINT or SIGTERM. Ctrl-C may come twice, from the terminal and from npm: the second one changes nothing. */
const untilSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
})

/** Completes when the user wants an end of what goes on until then. */
export class StopRequest extends Context.Reference<Effect.Effect<void>>("corrente/cli/StopRequest", {
  defaultValue: () => untilSignal,
}) {}
