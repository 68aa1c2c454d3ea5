import { Deferred, Effect } from "effect"
import type { ActorFailed } from "../../actors/runtime/actor.ts"
import { makeRegistry } from "../../actors/runtime/registry.ts"
import { asyncMicroBench } from "./microBench.ts"

interface Echo {
  readonly value: number
  readonly reply: Deferred.Deferred<number, ActorFailed>
}

const asksAtOnce = 64

/** A request to an actor that answers at once, with as many in flight as a busy server has. */
export const actorHopBench = asyncMicroBench("ask an actor", (iterations) =>
  Effect.gen(function* () {
    const registry = yield* makeRegistry<Echo, never>({
      name: "echo",
      start: () =>
        Effect.succeed((batch) =>
          Effect.sync(() => {
            for (const { value, reply } of batch) Deferred.doneUnsafe(reply, Effect.succeed(value))
          }),
        ),
      mailboxCapacity: 1_024,
      batchMax: 64,
      idleMillis: 60_000,
    })
    const ask = (value: number) => registry.ask<number, never>("one", (reply) => ({ value, reply }))
    let sum = 0
    const values = Array.from({ length: iterations }, (_, index) => index)
    yield* Effect.forEach(
      values,
      (value) =>
        Effect.map(ask(value), (answer) => {
          sum += answer
        }),
      { concurrency: asksAtOnce, discard: true },
    )
    return sum
  }).pipe(Effect.scoped, Effect.runPromise),
)
