import { assert, describe, it } from "@effect/vitest"
import { digestFrames, FrameLog } from "../../bench/load/frameLog.ts"
import { type ReadyAt, StreamReader } from "../../bench/load/streamReader.ts"

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
const opening = 'retry: 3000\n\nevent: ready\ndata: {"mode":"test"}\n\n'
const frame = (number: number, text = "ação") =>
  `id: evt_${number}\nevent: transaction.paid\ndata: {"n":${number},"t":"${text}"}\n\n`
const ping = ": ping\n\n"

/** An HTTP response whose body arrives in these chunks. */
const chunked = (...chunks: ReadonlyArray<string>): string =>
  `${head}Transfer-Encoding: chunked\r\n\r\n${chunks
    .map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
    .join("")}`

/** A reader on a log, with the events that it reported and how often it was ready. */
const makeStream = (log: FrameLog, readyAt: ReadyAt = "frame") => {
  const seen: Array<number> = []
  let readies = 0
  const reader = new StreamReader(log, readyAt, {
    ready: () => {
      readies++
    },
    event: (index) => {
      seen.push(index)
    },
  })
  // Like the load generator, every read reuses the same memory.
  const shared = Buffer.alloc(4_096)
  const read = (text: string | Buffer): void => {
    const bytes = Buffer.from(text)
    bytes.copy(shared)
    reader.read(shared, bytes.length)
    shared.fill("x")
  }
  return { reader, read, seen, readies: () => readies }
}

describe("the reader of a stream", () => {
  it("a stream reader reads chunked events, cut anywhere, and reports each once", () => {
    const bytes = Buffer.from(chunked(opening, frame(1), frame(2) + frame(3).slice(0, 9), frame(3).slice(9)))
    for (let cut = 1; cut < bytes.length; cut++) {
      const log = new FrameLog()
      const { read, seen, readies } = makeStream(log)
      read(bytes.subarray(0, cut))
      read(bytes.subarray(cut))
      assert.deepStrictEqual(seen, [0, 1, 2], `cut at ${cut}`)
      assert.strictEqual(readies(), 1)
      const frames = frame(1) + frame(2) + frame(3)
      assert.strictEqual(log.bytes.toString("utf8", 0, log.size), frames, `cut at ${cut}`)
    }
  })

  it("a stream reader reads an unchunked response byte by byte, and is ready at its head", () => {
    const log = new FrameLog()
    const { read, seen, readies } = makeStream(log, "head")
    const text = `${head}\r\n: hi\n\nevent: transaction.paid\nid: 17:0\ndata: {}\n\n:ping\n\nid: 17:1\ndata: {}\n\n`
    for (const byte of Buffer.from(text)) read(Buffer.from([byte]))
    assert.deepStrictEqual([seen, readies()], [[0, 1], 1])
  })

  it("a stream reader skips comments between frames, even ones that the first stream did not get", () => {
    const log = new FrameLog()
    const first = makeStream(log)
    first.read(chunked(opening, frame(1), ping + frame(2), frame(3)))
    const bytes = Buffer.from(chunked(opening, ping + frame(1) + frame(2) + ping + ping + frame(3) + ping))
    for (let cut = 1; cut < bytes.length; cut++) {
      const second = makeStream(log)
      second.read(bytes.subarray(0, cut))
      second.read(bytes.subarray(cut))
      assert.deepStrictEqual(second.seen, [0, 1, 2], `cut at ${cut}`)
      assert.isTrue(second.reader.restart(log.size))
    }
  })

  it("two stream readers of one log report every event, whichever of them is ahead", () => {
    const log = new FrameLog()
    const streams = [makeStream(log), makeStream(log)] as const
    for (const { read } of streams) read(chunked(opening))
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
    streams[0].read(chunk(frame(1).slice(0, 20)))
    streams[1].read(chunk(frame(1) + frame(2).slice(0, 30)))
    streams[0].read(chunk(frame(1).slice(20) + frame(2)))
    streams[1].read(chunk(frame(2).slice(30)))
    for (const { seen } of streams) assert.deepStrictEqual(seen, [0, 1])
  })

  it("a stream reader refuses a frame that is missing, repeated, out of order, altered or no event", () => {
    const wrong: Readonly<Record<string, string>> = {
      missing: frame(1) + frame(3),
      repeated: frame(1) + frame(1) + frame(2) + frame(3),
      "out of order": frame(2) + frame(1) + frame(3),
      altered: frame(1) + frame(2, "acao") + frame(3),
      "no event": `${frame(1) + frame(2) + frame(3)}event: reconnect\ndata: {}\n\n`,
    }
    for (const [name, frames] of Object.entries(wrong)) {
      const log = new FrameLog()
      makeStream(log).read(chunked(opening, frame(1) + frame(2) + frame(3)))
      const { read } = makeStream(log)
      assert.throws(() => read(chunked(opening, frames)), /bytes differ|not an event/, name)
    }
  })

  it("a stream reader refuses a response that is no stream, begins wrongly or ends", () => {
    for (const other of [head.replace("200 OK", "204 No Content"), head.replace("event-stream", "html")]) {
      assert.throws(() => makeStream(new FrameLog()).read(`${other}\r\n`), /not a stream/)
    }
    assert.throws(
      () => makeStream(new FrameLog()).read(chunked("event: reconnect\ndata: {}\n\n")),
      /invalid start of a stream/,
    )
    assert.throws(() => makeStream(new FrameLog()).read(chunked(opening, "")), /ended/)
  })

  it("a stream reader says on restart whether it had every event, and goes on with a cleared log", () => {
    const log = new FrameLog()
    const [whole, behind] = [makeStream(log), makeStream(log)]
    whole.read(chunked(opening, frame(1), frame(2)))
    behind.read(chunked(opening, frame(1)))
    assert.deepStrictEqual(
      [whole.reader, behind.reader].map((reader) => reader.restart(log.size)),
      [true, false],
    )
    log.clear()
    whole.read(`${Buffer.byteLength(frame(3)).toString(16)}\r\n${frame(3)}\r\n`)
    assert.deepStrictEqual([whole.reader.events, log.digest().events], [1, 1])
  })
})

describe("digests of frames", () => {
  it("digests tell frames apart, and hashes without ids ignore what differs in ids alone", () => {
    const [one, other, altered] = [frame(1), frame(1).replace("evt_1", "17:0"), frame(1, "acao")].map(
      (text) => digestFrames(Buffer.from(text), 1),
    )
    assert.notStrictEqual(one?.hash, other?.hash)
    assert.strictEqual(one?.hashWithoutIds, other?.hashWithoutIds)
    assert.notStrictEqual(one?.hashWithoutIds, altered?.hashWithoutIds)
  })
})
