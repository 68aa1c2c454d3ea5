import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type FindGap, makeFiller } from "../../actors/values/gaps.ts"

/** Finds the first occurrence of a mark. */
const findMark =
  (mark: string, text: string): FindGap =>
  (stored) => {
    const start = stored.indexOf(mark)
    return start < 0 ? undefined : { start, end: start + mark.length, text }
  }

describe("filling gaps", () => {
  it("gaps are filled in their places, and what lies between stays as it is", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "ü", "€", " ") })
    fc.assert(
      fc.property(fc.array(part, { minLength: 4, maxLength: 4 }), fc.string(), ([a, b, c, d], text) => {
        const fill = makeFiller([findMark("<1>", text), findMark("<2>", "<3>"), findMark("<3>", "")])
        expect(fill(`${a}<1>${b}<2>${c}<3>${d}`)).toBe(`${a}${text}${b}<3>${c}${d}`)
        expect(fill(`${a}${b}<3>${c}`)).toBe(`${a}${b}${c}`)
        expect(fill(`${a}${d}`)).toBe(`${a}${d}`)
      }),
    )
  })

  it("what is filled in is no gap, and a gap that begins within another stays as it is", () => {
    expect(makeFiller([findMark("<1>", "<2>"), findMark("<2>", "x")])("<1>")).toBe("<2>")
    expect(makeFiller([findMark("abc", "x"), findMark("bcd", "y")])("abcd")).toBe("xd")
    expect(makeFiller([findMark("b", "x"), findMark("a", "y")])("ab")).toBe("ax")
  })

  it("a gap without a length at the very beginning is filled", () => {
    expect(makeFiller([() => ({ start: 0, end: 0, text: "x" })])("a")).toBe("xa")
  })
})
