import { it } from "@effect/vitest"
import { Console, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { forward, Tally } from "../../cli/listening.ts"
import { makeOutput, Output } from "../../cli/output.ts"
import { PostFailed, type Receiver } from "../../cli/receiver.ts"
import type { Event } from "../../client/src/index.ts"

const event = { id: "evt_1", type: "transaction.paid", seq: 2 } as Event
const away = new PostFailed({ error: "connection_error", millis: 1, excerpt: "connect ECONNREFUSED" })
const refusal = new PostFailed({ error: "http_500", statusCode: 500, millis: 1, excerpt: "No." })

/** A receiver that answers by a script, and then with 204. */
const scripted = (...script: ReadonlyArray<PostFailed>) => {
  const attempts: Array<number> = []
  const receiver: Receiver = {
    url: "http://localhost:4000",
    post: (_, attempt) =>
      Effect.suspend(() => {
        const failure = script[attempts.length]
        attempts.push(attempt)
        return failure === undefined ? Effect.succeed({ statusCode: 204, millis: 1 }) : Effect.fail(failure)
      }),
  }
  return { receiver, attempts }
}

const silent: Console.Console = Object.assign(Object.create(globalThis.console), { log: () => {} })
const quietly = <A, E>(effect: Effect.Effect<A, E, Output>) =>
  effect.pipe(
    Effect.provideService(Output, makeOutput(["--json"], { environment: {}, isTerminal: false })),
    Effect.provideService(Console.Console, silent),
  )

describe("forward", () => {
  it.effect("forward does not repeat a failed post by default, and counts it", () =>
    Effect.gen(function* () {
      const { receiver, attempts } = scripted(away, away)
      const tally = new Tally("evt_0")
      yield* forward(event, { receiver, isRetried: false, tally })
      expect(attempts).toEqual([1])
      expect(tally).toMatchObject({ forwarded: 0, failed: 1, failedIds: ["evt_1"], lastEventId: "evt_1" })
    }).pipe(quietly),
  )

  it.effect("forward with --retry tries until somebody answers, for hours if need be", () =>
    Effect.gen(function* () {
      const { receiver, attempts } = scripted(...Array.from({ length: 20 }, () => away))
      const tally = new Tally("evt_0")
      const forwarding = yield* Effect.forkChild(forward(event, { receiver, isRetried: true, tally }))
      yield* TestClock.adjust("1 minute")
      expect(tally).toMatchObject({ forwarded: 0, failed: 0, pendingId: "evt_1", lastEventId: "evt_0" })
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(forwarding)
      expect(attempts).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
      expect(tally).toMatchObject({ forwarded: 1, failed: 0, pendingId: undefined, lastEventId: "evt_1" })
    }).pipe(quietly),
  )

  it.effect("forward with --retry gives up an event that the receiver has refused six times", () =>
    Effect.gen(function* () {
      const { receiver, attempts } = scripted(away, ...Array.from({ length: 9 }, () => refusal))
      const tally = new Tally(undefined)
      const forwarding = yield* Effect.forkChild(forward(event, { receiver, isRetried: true, tally }))
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(forwarding)
      expect(attempts).toHaveLength(7)
      expect(tally).toMatchObject({ forwarded: 0, failed: 1, failedIds: ["evt_1"], lastEventId: "evt_1" })
    }).pipe(quietly),
  )

  it.effect("forward ends between two tries when it is interrupted, and the event stays pending", () =>
    Effect.gen(function* () {
      const { receiver } = scripted(away, away, away)
      const tally = new Tally("evt_0")
      const forwarding = yield* Effect.forkChild(forward(event, { receiver, isRetried: true, tally }))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(forwarding)
      expect(tally).toMatchObject({ failed: 0, pendingId: "evt_1", lastEventId: "evt_0" })
    }).pipe(quietly),
  )
})
