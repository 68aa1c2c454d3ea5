import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { compressedFromBytes, compressJson } from "../../src/http/contract/compressedJson.ts"
import type { TextReply } from "../../src/http/server/reply.ts"

const reply = (bytes: number) => ({ status: 200, body: "é".repeat(bytes / 2) })

/** Node's types allow any bytes. */
const textOf = ({ text, headers = [] }: TextReply): string => {
  const coding = headers.find(([name]) => name === "Content-Encoding")?.[1]
  return (coding === "br" ? brotliDecompressSync(text) : gunzipSync(text)).toString()
}

describe("JSON answers to sessions", () => {
  it.each([
    ["br", "gzip, deflate, br, zstd"],
    ["gzip", "gzip"],
    ["gzip", "br;q=0.5, gzip"],
    ["br", "*"],
  ])("an answer is sent as %s to who takes %s", (coding, accepted) => {
    const plain = { ...reply(compressedFromBytes), headers: [["Retry-After", "1"]] as const }
    const sent = compressJson(plain, accepted) as TextReply
    expect(sent.headers).toEqual([
      ["Retry-After", "1"],
      ["Vary", "Accept-Encoding"],
      ["Content-Encoding", coding],
    ])
    expect(sent.contentType).toBe("application/json")
    expect(textOf(sent)).toBe(plain.body)
  })

  it("an answer one byte short, and one of another type, is sent as it is", () => {
    const short = { status: 200, body: "x".repeat(compressedFromBytes - 1) }
    const file = { status: 200, text: "x".repeat(compressedFromBytes), contentType: "text/csv" }
    for (const plain of [short, file]) expect(compressJson(plain, "br")).toBe(plain)
  })

  it.each(["", "identity", "br;q=0, gzip;q=0"])(
    "who takes %j gets it as it is, and caches are told",
    (accepted) => {
      const plain = reply(compressedFromBytes)
      expect(compressJson(plain, accepted)).toEqual({ ...plain, headers: [["Vary", "Accept-Encoding"]] })
    },
  )
})
