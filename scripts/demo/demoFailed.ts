import { Effect, Schema } from "effect"

/** The demo cannot continue; `message` says where it stopped, and why. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { message: Schema.String }) {}

const lookMillis = 50
const waitSecondsMax = 60

/** Waits until `look` returns something; fails if that takes too long. */
export const waitFor = <A>(what: string, look: () => A | undefined): Effect.Effect<A, DemoFailed> =>
  waitUntil(what, Effect.sync(look))

/** The same, for what has to be asked for. */
export const waitUntil = <A>(
  what: string,
  look: Effect.Effect<A | undefined, DemoFailed>,
): Effect.Effect<A, DemoFailed> =>
  Effect.gen(function* () {
    for (;;) {
      const found = yield* look
      if (found !== undefined) return found
      yield* Effect.sleep(lookMillis)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${waitSecondsMax} seconds`,
      orElse: () => Effect.fail(new DemoFailed({ message: `waited ${waitSecondsMax} s for the ${what}` })),
    }),
  )

/** Turns a promise into an effect whose failure ends the demo. */
export const attempt = <A>(
  what: string,
  run: (signal: AbortSignal) => Promise<A>,
): Effect.Effect<A, DemoFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new DemoFailed({ message: `${what}: ${cause instanceof Error ? cause.message : cause}` }),
  })
