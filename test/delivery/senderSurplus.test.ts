import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { IDLE_CONNECTIONS_MAX } from "../../src/delivery/sender/connections.ts"
import { attemptTo, receiver, send, senderFor } from "./senderTesting.ts"

describe("connections above the limit of idle ones", () => {
  it.effect("connections above the idle limit serve the next burst, and are closed when it is over", () =>
    Effect.gen(function* () {
      const target = yield* receiver({ names: ["127.0.0.1"] })
      const count = IDLE_CONNECTIONS_MAX + 20
      const sendAtOnce = (attempts: number) =>
        Effect.forEach(Array.from({ length: attempts }), () => send(attemptTo(target.url)), {
          concurrency: "unbounded",
          discard: true,
        })
      yield* Effect.gen(function* () {
        for (let wave = 0; wave < 2; wave++) yield* sendAtOnce(count)
        // Without a short grace, the second wave would open twenty new ones.
        expect(target.connections.total).toBe(count)
        yield* Effect.promise(() => target.waitForOpenConnections(IDLE_CONNECTIONS_MAX))
        yield* sendAtOnce(IDLE_CONNECTIONS_MAX)
        expect(target.connections).toMatchObject({ total: count, open: IDLE_CONNECTIONS_MAX })
      }).pipe(Effect.provide(senderFor([target])))
    }),
  )
})
