import { assert, describe, it } from "@effect/vitest"
import { ResponseReader } from "../../bench/load/responseReader.ts"

const body = '{"id":"\u00e3\u00e9"}\n'
const head = "HTTP/1.1 201 Created\r\nX-Request-Id: r\r\nContent-Type: application/json\r\n"
const answer = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
const whole = [201, body] as const

const collect = () => {
  const answers: Array<readonly [status: number, body: string]> = []
  const reader = new ResponseReader((status, bytes, start, end) => {
    answers.push([status, bytes.toString("utf8", start, end)])
  })
  return { answers, reader }
}

describe("ResponseReader", () => {
  it("ResponseReader reads a response cut anywhere, though each piece is overwritten after it is read", () => {
    for (let cut = 1; cut < answer.length; cut++) {
      const { answers, reader } = collect()
      for (const piece of [answer.subarray(0, cut), answer.subarray(cut)]) {
        const shared = Buffer.from(piece)
        reader.read(shared)
        shared.fill("x")
      }
      assert.deepStrictEqual(answers, [whole], `cut at ${cut}`)
    }
  })

  it("ResponseReader reads a response byte by byte, and the next one after it", () => {
    const { answers, reader } = collect()
    for (const byte of answer) reader.read(Buffer.from([byte]))
    reader.read(answer)
    assert.deepStrictEqual(answers, [whole, whole])
  })

  it("ResponseReader reads an empty body", () => {
    const { answers, reader } = collect()
    reader.read(Buffer.from("HTTP/1.1 202 Accepted\r\ncontent-length:0\r\n\r\n"))
    assert.deepStrictEqual(answers, [[202, ""]])
  })

  it("ResponseReader refuses a response without Content-Length, with surplus bytes or that is not HTTP", () => {
    const read = (text: string) => () => collect().reader.read(Buffer.from(text))
    assert.throws(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "Content-Length")
    assert.throws(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), "more bytes")
    assert.throws(read("+OK\r\nContent-Length: 1\r\n\r\na"), "Content-Length")
  })
})
