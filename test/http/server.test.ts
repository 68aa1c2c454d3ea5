import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  createCharge,
  errorOf,
  type Fixture,
  getTransaction,
  goodCharge,
  goodKey,
  makeFixture,
  postHead,
  until,
} from "./fixture.ts"
import { RawClient } from "./rawClient.ts"

describe("listening", () => {
  const failure = (host: string, port: number, shared = false) =>
    makeFixture({ host, port, shared }).pipe(Effect.flip, Effect.scoped)

  it.live("listening on a port that another program has fails and names the setting", () =>
    Effect.gen(function* () {
      const other = createServer()
      yield* Effect.promise(() => new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve)))
      const { port } = other.address() as { port: number }
      const error = yield* failure("127.0.0.1", port)
      other.close()
      expect(error).toMatchObject({ _tag: "ListenFailed", reason: "EADDRINUSE", port })
      expect(error.message).toMatch(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken\\. Set PORT `))
    }),
  )

  it.live("listening on a port that another of our servers has fails, unless both share it", () =>
    Effect.gen(function* () {
      const freePort = Effect.scoped(Effect.map(makeFixture(), ({ server }) => server.port))
      const alonePort = yield* freePort
      yield* makeFixture({ port: alonePort })
      expect((yield* failure("127.0.0.1", alonePort)).reason).toBe("EADDRINUSE")
      const port = yield* freePort
      const one = yield* makeFixture({ port, shared: true })
      const other = yield* makeFixture({ port, shared: true })
      expect([one.server.port, other.server.port]).toEqual([port, port])
    }),
  )

  it.live("listening on an address that is not ours fails and names the setting", () =>
    Effect.gen(function* () {
      const error = yield* failure("192.0.2.1", 0)
      expect(error.message).toMatch(/^192\.0\.2\.1 is not an address of this machine\. Set HOST /)
    }),
  )
})

describe("draining", () => {
  const drainIn = (fixture: Fixture) => Effect.runFork(fixture.server.drain)

  it.live("draining lets requests under way finish, and refuses new ones on open connections", () =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture()
      yield* Effect.promise(async () => {
        const { server, steering } = fixture
        const working = new RawClient(server.port)
        working.send(getTransaction("txn_held"))
        const idle = new RawClient(server.port)
        idle.send(getTransaction("txn_1"))
        await idle.responses(1)
        await until(() => steering.held.length === 1)

        const draining = drainIn(fixture)
        idle.send(getTransaction("txn_2"))
        const [, refused] = await idle.responses(2)
        expect(refused).toMatchObject({
          status: 503,
          headers: { "retry-after": "1", connection: "close" },
        })
        expect(JSON.parse(refused?.body ?? "").error.code).toBe("service_unavailable")
        await idle.toEnd()

        const late = new RawClient(server.port)
        await late.toEnd()
        expect(late.received).toHaveLength(0)

        expect(draining.pollUnsafe()).toBeUndefined()
        steering.held[0]?.()
        const [answer] = await working.responses(1)
        expect(answer).toMatchObject({ status: 200, headers: { connection: "close" } })
        await Effect.runPromise(Fiber.join(draining))
      })
    }),
  )

  it.live("draining runs its hooks, which end the streams, and waits for them to end", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const streams: Fixture["steering"]["streams"] = []
      const hook = Effect.sync(() => {
        for (const stream of streams) {
          stream.write(Buffer.from("event: reconnect\ndata: {}\n\n"))
          stream.onEnded(() => ended.push("stream"))
          stream.end()
        }
      })
      const broken = Effect.die(new Error("a hook died"))
      const fixture = yield* makeFixture({ drainHooks: [broken, hook] })
      yield* Effect.promise(async () => {
        const client = new RawClient(fixture.server.port)
        client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
        await until(() => fixture.steering.streams.length === 1)
        streams.push(...fixture.steering.streams)
        await Effect.runPromise(fixture.server.drain)
        expect(ended).toEqual(["stream"])
        await client.until(({ received }) => received.includes("\r\n0\r\n\r\n"))
        const [, chunks = ""] = client.text().split(/(?<=\r\n\r\n)(.*)/s)
        // Nothing but chunks, or a strict client would take the stream for broken.
        expect(chunks).toMatch(/^[0-9a-f]+\r\n[\s\S]*event: reconnect\ndata: \{\}\n\n\r\n0\r\n\r\n$/)
        client.close()
      })
      expect(fixture.logs.join()).toContain("a hook died")
    }),
  )

  const chargeText = JSON.stringify(goodCharge)

  /** A connection with a body under way, and a drain that waits for it. */
  const drainDuringBody = async (fixture: Fixture) => {
    const client = new RawClient(fixture.server.port)
    // An answer on the same connection shows that the server has accepted it.
    client.send(getTransaction("txn_1"))
    await client.responses(1)
    client.send(`${postHead(`Content-Length: ${chargeText.length}\r\n`)}{`)
    const other = new RawClient(fixture.server.port)
    other.send(getTransaction("txn_1"))
    await other.responses(1)
    other.close()
    const draining = drainIn(fixture)
    expect(draining.pollUnsafe()).toBeUndefined()
    return { client, draining }
  }

  it.live("draining waits for a body under way and answers it before it closes", () =>
    Effect.gen(function* () {
      const client = yield* Effect.scoped(
        Effect.gen(function* () {
          const fixture = yield* makeFixture()
          return yield* Effect.promise(async () => {
            const { client, draining } = await drainDuringBody(fixture)
            client.send(chargeText.slice(1))
            await Effect.runPromise(Fiber.join(draining))
            return client
          })
        }),
      )
      const [, created] = yield* Effect.promise(() => client.responses(2))
      expect(created).toMatchObject({ status: 201, headers: { connection: "close" } })
    }),
  )

  it.live("draining does not wait for a body whose client has left", () =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture()
      yield* Effect.promise(async () => {
        const { client, draining } = await drainDuringBody(fixture)
        client.socket.resetAndDestroy()
        await Effect.runPromise(Fiber.join(draining))
      })
    }),
  )

  it.live("draining turns new streams away with reconnect", () =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture()
      yield* Effect.promise(async () => {
        const { server, steering } = fixture
        const holding = new RawClient(server.port)
        holding.send(getTransaction("txn_held"))
        const client = new RawClient(server.port)
        client.send(getTransaction("txn_1"))
        await client.responses(1)
        await until(() => steering.held.length === 1)
        const draining = drainIn(fixture)
        client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
        const text = await client.toEnd()
        expect(text).toMatch(/HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Content-Type: text\/event-stream/)
        expect(text).toContain("event: reconnect")
        steering.held[0]?.()
        await Effect.runPromise(Fiber.join(draining))
      })
    }),
  )

  it.live("draining leaves idle connections open until each has been told to go by an answer", () =>
    Effect.gen(function* () {
      // Longer than the test: the end comes because the last client has left.
      const fixture = yield* makeFixture({ drainLingerMillis: 200_000, drainTimeoutMillis: 250_000 })
      yield* Effect.promise(async () => {
        const clients = [new RawClient(fixture.server.port), new RawClient(fixture.server.port)]
        for (const client of clients) {
          client.send(getTransaction("txn_1"))
          await client.responses(1)
        }
        const draining = drainIn(fixture)
        for (const client of clients) {
          client.send(getTransaction("txn_2"))
          const [, refused] = await client.responses(2)
          expect(refused).toMatchObject({ status: 503, headers: { connection: "close" } })
          await client.toEnd()
        }
        await Effect.runPromise(Fiber.join(draining))
      })
    }),
  )

  it.live("draining waits no longer for clients that ask for nothing", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.scoped(
        Effect.gen(function* () {
          const { server } = yield* makeFixture({ drainLingerMillis: 50, drainTimeoutMillis: 250_000 })
          const client = new RawClient(server.port)
          client.send(getTransaction("txn_1"))
          yield* Effect.promise(() => client.responses(1))
          return client
        }),
      )
      yield* Effect.promise(() => silent.toEnd())
    }),
  )

  it.live("draining gives up at its deadline when its scope closes, and cuts what is left", () =>
    Effect.gen(function* () {
      const client = yield* Effect.scoped(
        Effect.gen(function* () {
          const { server, steering } = yield* makeFixture({ drainTimeoutMillis: 50 })
          const held = new RawClient(server.port)
          held.send(getTransaction("txn_held"))
          yield* Effect.promise(() => until(() => steering.held.length === 1))
          return held
        }),
      )
      yield* Effect.promise(() => client.toEnd())
      expect(client.received).toHaveLength(0)
    }),
  )

  it.live("closing the scope begins with draining", () =>
    Effect.gen(function* () {
      const working = yield* Effect.scoped(
        Effect.gen(function* () {
          const { server, steering } = yield* makeFixture()
          const held = new RawClient(server.port)
          held.send(getTransaction("txn_held"))
          const idle = new RawClient(server.port)
          idle.send(getTransaction("txn_1"))
          yield* Effect.promise(() => idle.responses(1))
          yield* Effect.promise(() => until(() => steering.held.length === 1))
          // The next turn comes while the scope closes: the work ends once the server refuses new requests.
          setImmediate(async () => {
            idle.send(getTransaction("txn_2"))
            await idle.toEnd()
            steering.held[0]?.()
          })
          return held
        }),
      )
      const [answer] = yield* Effect.promise(() => working.responses(1))
      expect(answer?.status).toBe(200)
    }),
  )

  it.live("draining ends where nothing is under way, also when it is asked for twice at once", () =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture()
      yield* Effect.promise(async () => {
        const response = await createCharge(fixture, goodCharge)
        await response.text()
        const missing = await fetch(`${fixture.origin}/nope`)
        await errorOf(missing)
      })
      yield* Effect.all([fixture.server.drain, fixture.server.drain], { concurrency: 2 })
    }),
  )
})
