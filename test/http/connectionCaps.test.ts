import { describe, expect, it } from "@effect/vitest"
import type { ConnectionCaps } from "../../src/http/server/connections.ts"
import type { ConnectionOptions } from "../../src/http/server/server.ts"
import { type Fixture, getTransaction, goodKey, inFixture, turn, until } from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const optionsOf = (
  caps: Partial<ConnectionCaps>,
  trustedProxies: ReadonlyArray<string> = [],
): { readonly connections: ConnectionOptions } => ({
  connections: {
    caps: { total: 100, crowdedAbove: 100, perAddress: 100, exemptsLoopback: false, ...caps },
    trustedProxies,
    processes: 1,
  },
})

/** Opens a connection that is answered once and stays open. */
const hold = async ({ server }: Fixture, localAddress?: string): Promise<RawClient> => {
  const client = new RawClient(server.port, localAddress)
  client.send(getTransaction("txn_1"))
  expect((await client.responses(1)).map(({ status }) => status)).toEqual([200])
  return client
}

const statusFrom = async ({ server }: Fixture, localAddress?: string): Promise<number> => {
  const client = new RawClient(server.port, localAddress)
  client.send(getTransaction("txn_1"))
  const [response] = await client.responses(1)
  client.close()
  return response?.status ?? 0
}

/** Asks on new connections until one is served. */
const untilServed = async (fixture: Fixture, localAddress?: string): Promise<void> => {
  while ((await statusFrom(fixture, localAddress)) !== 200) await turn()
}

describe("the cap on all connections", () => {
  it.live(
    "a connection beyond the total is answered 503 and closed, and a place is free again when one leaves",
    inFixture(
      async (fixture) => {
        const clients = [await hold(fixture), await hold(fixture), await hold(fixture)]
        const refused = new RawClient(fixture.server.port)
        refused.send(getTransaction("txn_1"))
        const [answer] = await refused.responses(1)
        expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } })
        expect(answer?.headers.connection).toContain("close")
        const { error } = JSON.parse(answer?.body ?? "")
        expect(error).toMatchObject({
          code: "service_unavailable",
          request_id: answer?.headers["x-request-id"],
        })
        await refused.toEnd()
        clients[0]?.send(getTransaction("txn_2"))
        expect(await clients[0]?.responses(2)).toHaveLength(2)

        clients[1]?.close()
        await untilServed(fixture)
        for (const client of clients) client.close()
      },
      optionsOf({ total: 3, crowdedAbove: 3 }),
    ),
  )

  it.live(
    "refused connections do not use up the total of connections",
    inFixture(
      async (fixture) => {
        const clients = [await hold(fixture), await hold(fixture)]
        for (let turn = 0; turn < 50; turn++) expect(await statusFrom(fixture)).toBe(503)
        clients[0]?.close()
        await untilServed(fixture)
        clients.push(await hold(fixture))
        expect(await statusFrom(fixture)).toBe(503)
        for (const client of clients) client.close()
      },
      optionsOf({ total: 2, crowdedAbove: 2 }),
    ),
  )
})

describe("a service that is nearly full", () => {
  it.live(
    "a nearly full service closes each connection with its next answer, earlier connections too",
    inFixture(
      async (fixture) => {
        const early = [await hold(fixture), await hold(fixture)]
        const late = await hold(fixture)
        await late.toEnd()
        expect(early.map(({ closed }) => closed)).toEqual([false, false])

        const silent = new RawClient(fixture.server.port)
        await new Promise<void>((resolve) => silent.socket.once("connect", () => resolve()))
        await exchangeRaw(fixture.server.port, getTransaction("txn_1"))
        early[0]?.send(getTransaction("txn_2"))
        expect(await early[0]?.toEnd()).toContain("txn_2")
        silent.close()
        early[1]?.close()
      },
      optionsOf({ total: 4, crowdedAbove: 2 }),
    ),
  )

  it.live(
    "a nearly full service leaves streams open",
    inFixture(
      async (fixture) => {
        const { server, steering } = fixture
        const streams = [new RawClient(server.port), new RawClient(server.port)]
        for (const stream of streams) {
          stream.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
        }
        await until(() => steering.streams.length === 2)
        expect(await statusFrom(fixture)).toBe(200)
        for (const stream of steering.streams) stream.write(Buffer.from("still there"))
        for (const stream of streams) {
          await stream.until(({ received, closed }) => closed || received.includes("still there"))
          expect(stream.closed).toBe(false)
          stream.close()
        }
      },
      optionsOf({ total: 4, crowdedAbove: 1 }),
    ),
  )
})

describe.runIf(process.platform === "linux")("the share of one address", () => {
  const [crowd, other] = ["127.0.0.2", "127.0.0.3"]

  it.live(
    "an address gets its share of connections and no more, while others are served, and again when it leaves",
    inFixture(
      async (fixture) => {
        const clients = [await hold(fixture, crowd), await hold(fixture, crowd), await hold(fixture, crowd)]
        expect(await statusFrom(fixture, crowd)).toBe(503)
        expect(await statusFrom(fixture, other)).toBe(200)
        for (const client of clients) client.close()
        await untilServed(fixture, crowd)
      },
      optionsOf({ perAddress: 3 }),
    ),
  )

  it.live(
    "an address over its share is noticed although others come and go in between",
    inFixture(
      async (fixture) => {
        const clients: Array<RawClient> = []
        for (;;) {
          if (clients.length < 20) await statusFrom(fixture, other)
          const client = new RawClient(fixture.server.port, crowd)
          client.send(getTransaction("txn_1"))
          const [answer] = await client.responses(1)
          if (answer?.status === 503) break
          clients.push(client)
          expect(clients.length).toBeLessThan(5_000)
        }
        expect(clients.length).toBeGreaterThanOrEqual(8)
        expect(await statusFrom(fixture, other)).toBe(200)
        for (const client of clients) client.close()
      },
      optionsOf({ total: 6_000, crowdedAbove: 6_000, perAddress: 8 }),
    ),
  )

  it.live(
    "an address is never refused because of connections that are gone",
    inFixture(
      async (fixture) => {
        const client = await hold(fixture, crowd)
        for (let turn = 0; turn < 200; turn++) {
          const next = await hold(fixture, crowd)
          next.close()
          // The server knows of the close before the next connection: it answers a request that came after it.
          client.send(getTransaction("txn_2"))
          await client.responses(turn + 2)
        }
        client.close()
      },
      optionsOf({ perAddress: 4 }),
    ),
  )

  it.live(
    "an address of TRUSTED_PROXIES may exceed the share of one address: it stands for many clients",
    inFixture(
      async (fixture) => {
        const clients = [await hold(fixture, crowd), await hold(fixture, crowd)]
        const others = [await hold(fixture, other)]
        expect(await statusFrom(fixture, other)).toBe(503)
        for (const client of [...clients, ...others]) client.close()
      },
      optionsOf({ perAddress: 1 }, ["127.0.0.2"]),
    ),
  )

  it.live(
    "this machine's own address may exceed the share of one address where loopback is exempt",
    inFixture(
      async (fixture) => {
        const clients = [await hold(fixture), await hold(fixture)]
        for (const client of clients) client.close()
      },
      optionsOf({ perAddress: 1, exemptsLoopback: true }),
    ),
  )
})
