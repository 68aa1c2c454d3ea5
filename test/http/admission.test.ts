import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ErrorEnvelope } from "../../schema/errors.ts"
import { Admission } from "../../src/load/admission.ts"
import type { Load } from "../../src/load/load.ts"
import { LoadMeter } from "../../src/load/loadMeter.ts"
import { type Fixture, getTransaction, goodKey, makeFixture, otherKey, postHead, until } from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

/** The number of requests that a meter's initial rate admits, the running one included. */
const crowd = 21
const targetMillis = 17

/** A service that runs one request at a time, on a clock that the test sets, with a full queue. */
interface Crowded extends Fixture {
  readonly load: Load["Service"]
  readonly waiting: ReadonlyArray<RawClient>
  /** Sets the clock. */
  readonly setMillis: (millis: number) => void
}

const inCrowd =
  (run: (crowded: Crowded) => Promise<void>, bytesWaitingMax = 1_000_000) =>
  () =>
    Effect.gen(function* () {
      let nowMillis = 0
      const meter = new LoadMeter(() => nowMillis)
      const options = { targetMillis, runningMax: 1, bytesWaitingMax, random: () => 0 }
      const load = { meter, admission: new Admission(meter, options, 0) }
      const fixture = yield* makeFixture({ load, drainTimeoutMillis: 100 })
      const fill = async () => {
        const waiting: Array<RawClient> = []
        for (let count = 1; count <= crowd; count++) {
          const client = new RawClient(fixture.server.port)
          waiting.push(client)
          client.send(getTransaction("txn_held"))
          await until(() => meter.inProgress === count)
        }
        return waiting
      }
      const waiting = yield* Effect.promise(fill)
      const setMillis = (millis: number) => {
        nowMillis = millis
      }
      yield* Effect.promise(() => run({ ...fixture, load, waiting, setMillis }))
      for (const client of waiting) client.close()
      for (const resume of fixture.steering.held) resume()
    })

/** Ends the work on the request that is running. */
const endOne = async ({ steering }: Fixture) => {
  const ended = steering.heldDone
  await until(() => steering.held.length > ended)
  steering.held[ended]?.()
}

const errorOf = (body: string | undefined) =>
  Schema.decodeUnknownSync(ErrorEnvelope)(JSON.parse(body ?? "")).error

describe("requests that would wait too long", () => {
  it.live(
    "a request that would wait too long gets 503 with Retry-After at once, and its connection stays open",
    inCrowd(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(getTransaction("txn_1", "X-Request-Id: mine_12345\r\n"))
      const [first] = await client.responses(1)
      expect(first?.status).toBe(503)
      expect(first?.headers).toMatchObject({
        "retry-after": "1",
        "content-type": "application/json",
        "x-request-id": "mine_12345",
      })
      expect(first?.headers.connection).toBeUndefined()
      expect(errorOf(first?.body)).toMatchObject({
        type: "internal_error",
        code: "service_unavailable",
        request_id: "mine_12345",
      })
      client.send(getTransaction("txn_2"))
      expect((await client.responses(2))[1]?.status).toBe(503)
      client.close()
    }),
  )

  it.live(
    "a request is refused before its body arrives, and the late body is not taken for another request",
    inCrowd(async ({ server, load, waiting, ...rest }) => {
      const client = new RawClient(server.port)
      const body = JSON.stringify({ text: "GET /health HTTP/1.1\r\nHost: x\r\n\r\n" })
      client.send(postHead(`Content-Length: ${body.length}\r\n`))
      expect((await client.responses(1))[0]?.status).toBe(503)
      for (const other of waiting) other.close()
      await until(() => load.meter.inProgress === 1)
      await endOne({ server, ...rest })
      await until(() => load.meter.inProgress === 0)
      client.send(body)
      client.send(getTransaction("txn_after"))
      const [, second] = await client.responses(2)
      expect([second?.status, JSON.parse(second?.body ?? "")]).toEqual([200, { id: "txn_after" }])
      client.close()
    }),
  )

  it.live(
    "/health and /ready are answered while other requests are refused for waiting too long",
    inCrowd(async ({ server, load }) => {
      // Requests without a key, of one address, fill their part of the queue until one is refused.
      const anonymous: Array<RawClient> = []
      for (let count = 1; count <= crowd; count++) {
        const client = new RawClient(server.port)
        anonymous.push(client)
        client.send("GET /v1/event-types HTTP/1.1\r\nHost: x\r\n\r\n")
        await until(() => load.meter.inProgress === crowd + count || client.received.length > 0)
      }
      expect(anonymous.at(-1)?.text()).toMatch(/^HTTP\/1\.1 503 /)
      for (const [path, status] of [
        ["/health", 200],
        ["/ready", 204],
      ] as const) {
        const answer = await exchangeRaw(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        expect([path, answer.status]).toEqual([path, status])
      }
      for (const client of anonymous) client.close()
    }),
  )

  it.live(
    "a stream that would wait too long gets 200 with retry and reconnect: EventSource gives up on anything else",
    inCrowd(async ({ server }) => {
      const client = new RawClient(server.port)
      client.send(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`)
      const text = await client.toEnd()
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      const [, retryMillis] = /retry: (\d+)\n\nevent: reconnect\n/.exec(text) ?? []
      expect(Number(retryMillis)).toBeGreaterThanOrEqual(3_000)
      expect(Number(retryMillis)).toBeLessThanOrEqual(9_000)
    }),
  )
})

describe("requests that wait for their turn", () => {
  it.live(
    "another seller's request takes the next turn but one, ahead of the crowding seller's queue",
    inCrowd(async (crowded) => {
      const client = new RawClient(crowded.server.port)
      client.send(getTransaction("txn_other", "", otherKey))
      await until(() => crowded.load.meter.inProgress === crowd + 1)
      await endOne(crowded)
      await endOne(crowded)
      const [answer] = await client.responses(1)
      expect([answer?.status, JSON.parse(answer?.body ?? "")]).toEqual([200, { id: "txn_other" }])
      expect(crowded.load.admission.waiting).toBe(crowd - 3)
      client.close()
    }),
  )

  it.live(
    "a waiting request whose client has gone is never started",
    inCrowd(async (crowded) => {
      const { load, steering, waiting } = crowded
      for (const client of waiting.slice(1, -1)) client.close()
      await until(() => load.admission.waiting === 1)
      await endOne(crowded)
      await endOne(crowded)
      await until(() => load.meter.inProgress === 0)
      expect(steering.heldDone).toBe(2)
      expect((await waiting.at(-1)?.responses(1))?.[0]?.status).toBe(200)
    }),
  )

  it.live(
    "a request that has waited longer than any is meant to gets 503 instead of being started",
    inCrowd(async (crowded) => {
      const { load, steering, waiting, setMillis } = crowded
      setMillis(targetMillis + 500)
      load.admission.tick(targetMillis + 500)
      expect(load.admission.waiting).toBe(crowd - 1)
      setMillis(targetMillis + 501)
      load.admission.tick(targetMillis + 501)
      expect(load.admission.waiting).toBe(0)
      for (const client of waiting.slice(1)) {
        const [answer] = await client.responses(1)
        expect([answer?.status, answer?.headers["retry-after"]]).toEqual([503, "1"])
        expect(errorOf(answer?.body).code).toBe("service_unavailable")
      }
      expect(steering.held).toHaveLength(1)
    }),
  )

  it.live(
    "a request whose body does not fit the room for waiting bodies gets 503",
    inCrowd(async ({ server, load }) => {
      const client = new RawClient(server.port)
      const body = JSON.stringify({ note: "x".repeat(100) })
      client.send(
        `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${otherKey}\r\n` +
          `Content-Type: application/json\r\nIdempotency-Key: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      expect((await client.responses(1))[0]?.status).toBe(503)
      expect(load.meter.inProgress).toBe(crowd)
      client.close()
    }, 100),
  )
})
