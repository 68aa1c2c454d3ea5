import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeExcerpt } from "../../src/delivery/sender/receiverRequest.ts"

describe("decodeExcerpt", () => {
  it("decodeExcerpt is empty for an empty body", () => {
    expect(decodeExcerpt([], 1024)).toBe("")
  })

  it("decodeExcerpt keeps the bytes of all chunks up to the limit and none past it", () => {
    const chunks = [Buffer.from("abc"), Buffer.from("def")]
    expect(decodeExcerpt(chunks, 6)).toBe("abcdef")
    expect(decodeExcerpt(chunks, 5)).toBe("abcde")
    expect(decodeExcerpt([Buffer.from("abcdef")], 5)).toBe("abcde")
  })

  it("decodeExcerpt leaves out a character that the limit cuts", () => {
    for (const text of ["é", "€", "💸"]) {
      const bytes = Buffer.from(`a${text}`)
      expect(decodeExcerpt([bytes], bytes.length)).toBe(`a${text}`)
      expect(decodeExcerpt([bytes], bytes.length - 1)).toBe("a")
    }
  })

  it("decodeExcerpt joins a character that two chunks divide", () => {
    const bytes = Buffer.from("💸")
    expect(decodeExcerpt([bytes.subarray(0, 2), bytes.subarray(2)], 1024)).toBe("💸")
  })

  it("decodeExcerpt replaces NUL and what is not UTF-8", () => {
    expect(decodeExcerpt([Buffer.from([0x61, 0x00, 0x62, 0xff, 0x63])], 1024)).toBe("a\uFFFDb\uFFFDc")
  })

  it("decodeExcerpt makes well-formed text without NUL of any bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(100), (chunks, bytesMax) => {
        const text = decodeExcerpt(chunks, bytesMax)
        expect(text.length).toBeLessThanOrEqual(bytesMax)
        expect(text).not.toContain("\0")
        expect(text).not.toMatch(/\p{Surrogate}/u)
      }),
    )
  })
})
