import { once } from "node:events"
import { type AddressInfo, createServer, type Server } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openReceiver } from "../../cli/receiver.ts"
import type { Event } from "../../client/src/index.ts"
import { startLocalReceiver } from "./support/localReceiver.ts"

const event = { id: "evt_1", type: "transaction.paid", seq: 2 } as Event
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYA"

const localReceiver = Effect.acquireRelease(Effect.promise(startLocalReceiver), ({ stop }) =>
  Effect.promise(stop),
)

/** A server that answers everything with these bytes. */
const answeringRaw = async (answer: string): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end(answer))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return server
}

describe("what listen and resend post", () => {
  it.effect("a post counts though its receiver sends an unasked 100 Continue before it answers", () =>
    Effect.gen(function* () {
      const local = yield* localReceiver
      local.interimBefore([100, 103, 100])
      const { post } = yield* openReceiver(local.url, secret)
      expect(yield* post(event, 1)).toMatchObject({ statusCode: 204 })
      local.answerWith(500, {}, "no")
      expect(yield* Effect.flip(post(event, 2))).toMatchObject({ error: "http_500", excerpt: "no" })
      expect(local.requests).toHaveLength(2)
    }),
  )

  it.effect("a post says what was wrong with an answer that is not HTTP", () =>
    Effect.gen(function* () {
      const target = yield* Effect.acquireRelease(
        Effect.promise(() => answeringRaw("HTTP/1.1 200 OK\nContent-Length: 0\n\n")),
        (server) => Effect.sync(() => server.close()),
      )
      const { port } = target.address() as AddressInfo
      const { post } = yield* openReceiver(`http://127.0.0.1:${port}/`, secret)
      expect(yield* Effect.flip(post(event, 1))).toMatchObject({
        error: "response_bare_line_feed",
        excerpt: expect.stringContaining("line feed"),
      })
    }),
  )
})
