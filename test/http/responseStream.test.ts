import { describe, expect, it } from "@effect/vitest"
import type { StreamConnection } from "../../src/feed/streamConnection.ts"
import { awayKey, type Fixture, goodKey, inFixture, turn } from "./fixture.ts"
import { exchangeRaw, RawClient } from "./rawClient.ts"

const streamRequest = (key = goodKey): string =>
  `GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

const openStream = async (
  fixture: Fixture,
): Promise<{ readonly client: RawClient; readonly stream: StreamConnection }> => {
  const client = new RawClient(fixture.server.port)
  client.send(streamRequest())
  while (fixture.steering.streams.length === 0) await turn()
  const stream = fixture.steering.streams.shift() as StreamConnection
  return { client, stream }
}

/** The chunks of a chunked body. */
const chunksOf = (text: string): ReadonlyArray<string> => {
  const chunks: Array<string> = []
  let rest = text.slice(text.indexOf("\r\n\r\n") + 4)
  for (;;) {
    const match = /^(?:\r\n)?([0-9a-f]+)\r\n/i.exec(rest)
    if (match === null) return chunks
    const length = Number.parseInt(match[1] ?? "", 16)
    const start = match[0].length
    if (rest.length < start + length) return chunks
    chunks.push(rest.slice(start, start + length))
    rest = rest.slice(start + length)
    if (length === 0) return chunks
  }
}

const bodyOf = (client: RawClient): string => chunksOf(client.received.toString("latin1")).join("")

describe("event streams", () => {
  it.live(
    "a stream has the headers that clients and proxies need",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      stream.write(Buffer.from("retry: 3000\n\n"))
      await client.until(({ received }) => received.includes("retry: 3000"))
      const head = client.text().split("\r\n\r\n")[0] ?? ""
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(head).toContain("Content-Type: text/event-stream")
      expect(head).toContain("Cache-Control: private, no-cache, no-store, no-transform")
      expect(head).toContain("X-Accel-Buffering: no")
      expect(head).toMatch(/X-Request-Id: req_[0-9A-Z]{26}/)
      client.close()
    }),
  )

  it.live(
    "a stream sends what is written in one turn as one chunk, in order",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      for (let index = 0; index < 50; index++) {
        stream.write(Buffer.from(`data: ${index}\n\n`))
        // Promises settle within the turn.
        await Promise.resolve()
      }
      const expected = Array.from({ length: 50 }, (_, index) => `data: ${index}\n\n`).join("")
      await client.until(() => bodyOf(client).length === expected.length)
      expect(chunksOf(client.text())).toEqual([expected])
      client.close()
    }),
  )

  it.live(
    "a stream delivers megabytes whole to a reader that pauses, and reports when they are taken",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      client.socket.pause()
      const frames = Array.from({ length: 3_000 }, (_, index) => `${index}:${"x".repeat(4_000)}\n`)
      for (const frame of frames) stream.write(Buffer.from(frame))
      let drained = 0
      stream.whenDrained(() => drained++)
      // The system's buffers take some; the rest stays with us, and is counted.
      let before = -1
      while (stream.unsentBytes() !== before) {
        before = stream.unsentBytes()
        for (let index = 0; index < 20; index++) await turn()
      }
      expect(before).toBeGreaterThan(256 * 1024)
      expect(before).toBeLessThanOrEqual(frames.join("").length)
      expect(drained).toBe(0)
      client.socket.resume()
      const expected = frames.join("")
      await client.until(({ received }) => received.length >= expected.length)
      while (drained === 0) await turn()
      expect(stream.unsentBytes()).toBe(0)
      await client.until(() => bodyOf(client).length === expected.length)
      expect(bodyOf(client) === expected).toBe(true)
      expect(drained).toBe(1)
      client.close()
    }),
  )

  it.live(
    "a stream goes on counting and delivering when writes follow a full socket",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      client.socket.pause()
      let expected = ""
      while (stream.unsentBytes() < 512 * 1024) {
        const frame = `${expected.length}:${"y".repeat(60_000)}\n`
        expected += frame
        stream.write(Buffer.from(frame))
        await turn()
        await turn()
      }
      client.socket.resume()
      for (let index = 0; index < 100; index++) {
        const frame = `late ${index}\n`
        expected += frame
        stream.write(Buffer.from(frame))
        await turn()
      }
      await client.until(() => bodyOf(client).length >= expected.length)
      expect(bodyOf(client) === expected).toBe(true)
      while (stream.unsentBytes() > 0) await turn()
      client.close()
    }),
  )

  it.live(
    "a stream delivers its last writes before the socket was full, without another write",
    inFixture(async (fixture) => {
      const frame = Buffer.alloc(14_000, "z")
      const fill = async (framesMax: number): Promise<number> => {
        const { client, stream } = await openStream(fixture)
        client.socket.pause()
        let frames = 0
        while (frames < framesMax && stream.unsentBytes() === 0) {
          stream.write(frame)
          frames++
          await turn()
          await turn()
        }
        client.socket.resume()
        await client.until(() => bodyOf(client).length === frames * frame.length)
        expect(bodyOf(client)).toHaveLength(frames * frame.length)
        client.close()
        return frames
      }
      // Only the next write shows that the socket was full.
      const framesMax = await fill(Number.POSITIVE_INFINITY)
      for (const fewer of [1, 2, 3, 4]) await fill(framesMax - fewer)
    }),
  )

  it.live(
    "whenDrained calls back at once where nothing is unsent, and after the next flush where something is",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      let calls = 0
      stream.whenDrained(() => calls++)
      expect(calls).toBe(1)
      stream.write(Buffer.from("a"))
      expect(stream.unsentBytes()).toBe(1)
      stream.whenDrained(() => calls++)
      expect(calls).toBe(1)
      while (calls === 1) await turn()
      expect(stream.unsentBytes()).toBe(0)
      client.close()
    }),
  )

  it.live(
    "a stream that ends sends what was written, keeps the connection, and reports its end once",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      let ends = 0
      stream.onEnded(() => ends++)
      stream.write(Buffer.from("event: reconnect\n\n"))
      stream.end()
      stream.write(Buffer.from("never"))
      await client.until(({ received }) => received.includes("\r\n0\r\n\r\n"))
      expect(bodyOf(client)).toBe("event: reconnect\n\n")
      expect(ends).toBe(1)
      stream.end()
      stream.cut()
      stream.write(Buffer.from("never"))
      expect(stream.unsentBytes()).toBe(0)
      client.received = Buffer.alloc(0)
      client.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
      expect((await client.responses(1))[0]?.status).toBe(200)
      expect(ends).toBe(1)
      client.close()
    }),
  )

  it.live(
    "a stream that is cut loses what was unsent, closes, and reports its end once",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      let ends = 0
      stream.onEnded(() => ends++)
      stream.write(Buffer.from("lost"))
      stream.cut()
      expect(ends).toBe(1)
      expect(stream.unsentBytes()).toBe(0)
      expect(await client.toEnd()).not.toContain("lost")
      let late = 0
      stream.onEnded(() => late++)
      stream.whenDrained(() => late++)
      expect(late).toBe(1)
    }),
  )

  it.live(
    "a stream outlives a listener that throws, logs it, and calls the others",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      let called = 0
      stream.write(Buffer.from("a"))
      stream.whenDrained(() => {
        throw new Error("a broken listener")
      })
      stream.whenDrained(() => called++)
      while (called === 0) await turn()
      stream.onEnded(() => {
        throw new Error("another broken listener")
      })
      stream.onEnded(() => called++)
      stream.cut()
      expect(called).toBe(2)
      expect(fixture.logs.join()).toContain("Error: a broken listener")
      expect(fixture.logs.join()).toContain("Error: another broken listener")
      client.close()
    }),
  )

  it.live(
    "a stream reports its end when its client leaves, also with bytes unsent",
    inFixture(async (fixture) => {
      const { client, stream } = await openStream(fixture)
      client.socket.pause()
      for (let index = 0; index < 200; index++) stream.write(Buffer.alloc(64_000))
      const ended = new Promise<void>((resolve) => stream.onEnded(resolve))
      await turn()
      client.socket.resetAndDestroy()
      await ended
      expect(stream.unsentBytes()).toBe(0)
      stream.write(Buffer.from("nothing happens"))
    }),
  )

  it.live(
    "a stream whose client leaves while it is opened is handed over ended, so that nothing stays reserved",
    inFixture(async (fixture) => {
      const { steering, server } = fixture
      const client = new RawClient(server.port)
      client.send(streamRequest().replace("/events", "/events?types=held"))
      while (steering.held.length === 0) await turn()
      client.socket.resetAndDestroy()
      // Another connection's round trip begins after the reset arrived.
      await exchangeRaw(server.port, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
      steering.held[0]?.()
      const [stream] = steering.streams
      let ends = 0
      stream?.onEnded(() => ends++)
      expect(ends).toBe(1)
      stream?.write(Buffer.from("nothing happens"))
      expect(stream?.unsentBytes()).toBe(0)
    }),
  )

  it.live(
    "a stream that cannot be served now gets 200 with retry and reconnect, and closes",
    inFixture(async ({ server }) => {
      for (const types of ["away", "dies"]) {
        const client = new RawClient(server.port)
        client.send(streamRequest().replace("/events", `/events?types=${types}`))
        const text = await client.toEnd()
        expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
        expect(text).toContain("Content-Type: text/event-stream")
        expect(text).toMatch(/\r\n\r\nretry: 3000\n\nevent: reconnect\ndata: \{.*\}\n\n$/)
      }
      const away = await exchangeRaw(server.port, streamRequest(awayKey))
      expect(away.status).toBe(200)
      expect(away.body).toContain("event: reconnect")
    }),
  )

  it.live(
    "a stream is refused with 401 and 429 as they are, since they should stop a client for good",
    inFixture(async ({ server }) => {
      const wrong = await exchangeRaw(server.port, streamRequest("sk_test_wrong"))
      expect(wrong.status).toBe(401)
      const full = await exchangeRaw(server.port, streamRequest().replace("/events", "/events?types=full"))
      expect(full.status).toBe(429)
      expect(full.headers["retry-after"]).toBe("5")
      expect(JSON.parse(full.body).error.code).toBe("rate_limited")
    }),
  )

  it.live(
    "a stream with its key in the query, and not in the header, is 401",
    inFixture(async ({ server }) => {
      const response = await exchangeRaw(
        server.port,
        `GET /events?token=${goodKey} HTTP/1.1\r\nHost: x\r\n\r\n`,
      )
      expect(response.status).toBe(401)
      expect(JSON.parse(response.body).error.code).toBe("invalid_api_key")
    }),
  )

  it.live(
    "a stream takes its position from Last-Event-ID",
    inFixture(async ({ server, steering }) => {
      const client = new RawClient(server.port)
      client.send(streamRequest().replace("\r\n\r\n", "\r\nLast-Event-ID: evt_1\r\n\r\n"))
      while (steering.streams.length === 0) await turn()
      expect(steering.last).toBe("evt_1")
      client.close()
    }),
  )
})
