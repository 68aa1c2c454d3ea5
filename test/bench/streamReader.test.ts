import { assert, describe, it } from "@effect/vitest"
import { digestFrames, type ReadyAt, StreamReader } from "../../bench/load/streamReader.ts"

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
const opening = 'retry: 3000\n\nevent: ready\ndata: {"mode":"test"}\n\n'
const frame = (number: number, text = "ação") =>
  `id: evt_${number}\nevent: transaction.paid\ndata: {"n":${number},"t":"${text}"}\n\n`
const ping = ": ping\n\n"

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
/** An HTTP response whose body arrives in these chunks. */
const chunked = (...chunks: ReadonlyArray<string>): string =>
  `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.map(chunk).join("")}`

/** A reader on a log, with how often it was ready. */
const makeStream = (log: Array<Buffer>, readyAt: ReadyAt = "frame") => {
  const seen = { readies: 0, events: 0 }
  const reader = new StreamReader(log, readyAt, {
    ready: () => {
      seen.readies++
    },
    event: () => {
      seen.events++
    },
  })
  // Like the load generator, every read reuses the same memory.
  const shared = Buffer.alloc(4_096)
  const read = (text: string | Buffer): void => {
    const bytes = Buffer.from(text)
    bytes.copy(shared)
    reader.read(shared.subarray(0, bytes.length))
    shared.fill("x")
  }
  return { reader, read, seen }
}

describe("the reader of a stream", () => {
  it("a stream reader reads chunked events, cut anywhere, and skips comments that other streams did not get", () => {
    const first = [opening, frame(1), frame(2) + frame(3).slice(0, 9), frame(3).slice(9)]
    const second = [opening, ping + frame(1) + frame(2) + ping + ping, frame(3) + ping]
    const texts = [first, second].map((chunks) => Buffer.from(chunked(...chunks)))
    for (let cut = 1; cut < Math.max(...texts.map(({ length }) => length)); cut++) {
      const log: Array<Buffer> = []
      for (const bytes of texts) {
        const { read, seen, reader } = makeStream(log)
        read(bytes.subarray(0, cut))
        read(bytes.subarray(cut))
        assert.deepStrictEqual(seen, { readies: 1, events: 3 }, `cut at ${cut}`)
        assert.isTrue(reader.restart())
      }
      assert.strictEqual(Buffer.concat(log).toString(), frame(1) + frame(2) + frame(3), `cut at ${cut}`)
    }
  })

  it("a stream reader reads an unchunked response byte by byte, and is ready at its head", () => {
    const { read, seen } = makeStream([], "head")
    const text = `${head}\r\n: hi\n\nevent: transaction.paid\nid: 17:0\ndata: {}\n\n:ping\n\nid: 17:1\ndata: {}\n\n`
    for (const byte of Buffer.from(text)) read(Buffer.from([byte]))
    assert.deepStrictEqual(seen, { readies: 1, events: 2 })
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
      const log: Array<Buffer> = []
      makeStream(log).read(chunked(opening, frame(1) + frame(2) + frame(3)))
      assert.throws(() => makeStream(log).read(chunked(opening, frames)), /bytes differ|not an event/, name)
    }
  })

  it("a stream reader refuses a response that is no stream, begins wrongly or ends", () => {
    const read = (text: string) => () => makeStream([]).read(text)
    for (const other of [head.replace("200 OK", "204 No Content"), head.replace("event-stream", "html")]) {
      assert.throws(read(`${other}\r\n`), /not a stream/)
    }
    assert.throws(read(chunked("event: reconnect\ndata: {}\n\n")), /invalid start of a stream/)
    assert.throws(read(chunked(opening, "")), /ended/)
  })

  it("a stream reader says on restart whether it had every event, and goes on with an empty log", () => {
    const log: Array<Buffer> = []
    const [whole, behind, amid] = [makeStream(log), makeStream(log), makeStream(log)]
    whole.read(chunked(opening, frame(1), frame(2)))
    behind.read(chunked(opening, frame(1)))
    amid.read(chunked(opening, frame(1), frame(2), "id: "))
    assert.deepStrictEqual(
      [whole, behind, amid].map(({ reader }) => reader.restart()),
      [true, false, false],
    )
    log.length = 0
    whole.read(chunk(frame(3)))
    assert.deepStrictEqual([whole.reader.events, log.length], [1, 1])
  })

  it("digests tell frames apart, and hashes without ids ignore what differs in ids alone", () => {
    const [one, other, altered] = [frame(1), frame(1).replace("evt_1", "17:0"), frame(1, "acao")].map(
      (text) => digestFrames([Buffer.from(text)]),
    )
    assert.notStrictEqual(one?.hash, other?.hash)
    assert.strictEqual(one?.hashWithoutIds, other?.hashWithoutIds)
    assert.notStrictEqual(one?.hashWithoutIds, altered?.hashWithoutIds)
  })
})
