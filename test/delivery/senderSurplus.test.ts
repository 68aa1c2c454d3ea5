import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { IDLE_CONNECTIONS_MAX } from "../../src/delivery/sender/connections.ts"
import { attemptTo, receiver, send, senderFor } from "./senderTesting.ts"

const makeWave = () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end: () => end(), ended }
}

describe("connections above the limit of idle ones", () => {
  it.effect("connections above the idle limit serve the next burst, and are closed when it is over", () =>
    Effect.gen(function* () {
      const count = IDLE_CONNECTIONS_MAX + 20
      const waves = [makeWave(), makeWave(), makeWave()]
      // A wave is answered at once when all of it has come: on a busy machine handshakes take longer than the grace.
      const target = yield* receiver({
        names: ["127.0.0.1"],
        behaviour: (_, index) => {
          const wave = waves[Math.floor(index / count)]
          const size = index < 2 * count ? count : IDLE_CONNECTIONS_MAX
          if ((index % count) + 1 === size) wave?.end()
          return { kind: "respond", after: wave?.ended ?? Promise.resolve() }
        },
      })
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
