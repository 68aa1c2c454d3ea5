import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findLoneSurrogate, locateJsonError } from "../../src/http/contract/jsonBody.ts"

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON texts with one small change. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\u12",
      "0",
      "-",
      ".",
      "e",
      "t",
      " ",
      "\n",
      "\u0001",
    ),
    fc.boolean(),
  )
  .map(([text, at, noise, isCut]) => {
    const place = at % (text.length + 1)
    return isCut ? text.slice(0, place) + noise : text.slice(0, place) + noise + text.slice(place)
  })

describe("the position where a text stops being JSON", () => {
  it("a JSON error is located where the text stops being the beginning of any JSON", () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        fc.pre(!parses(text))
        const position = locateJsonError(text)
        expect(position).toBeGreaterThanOrEqual(0)
        expect(position).toBeLessThanOrEqual(text.length)
        // Everything before the position is fine: a text that ends there fails only at its end.
        expect(locateJsonError(text.slice(0, position))).toBe(position)
      }),
      { numRuns: 2_000 },
    )
  })

  const places: ReadonlyArray<readonly [text: string, position: number]> = [
    ["", 0],
    ["x", 0],
    ["{", 1],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["[1}", 2],
    ["01", 1],
    ["1.", 2],
    ["-", 1],
    ["tru", 3],
    ['"a', 2],
    ['"\\x"', 2],
    ["{1:2}", 1],
    ["[]]", 2],
    ["[1, nul]", 7],
    ["NaN", 0],
    ["undefined", 0],
  ]
  it.each(places)("the JSON error of %j is located at %i", (text, position) => {
    expect(locateJsonError(text)).toBe(position)
  })
})

describe("half of a surrogate pair", () => {
  it("half of a surrogate pair is found wherever it stands, and nowhere else", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "binary" }),
        fc.jsonValue({ stringUnit: "grapheme" }),
        (any, clean) => {
          const isWellFormed = JSON.stringify(any).toLowerCase().includes("\\ud") === false
          expect(findLoneSurrogate(any) === undefined).toBe(isWellFormed)
          expect(findLoneSurrogate(clean)).toBeUndefined()
          expect(findLoneSurrogate([{ a: clean, b: ["x\ud800"] }])).toBe("0.b.0")
        },
      ),
    )
  })

  it("half of a surrogate pair is found at any depth, with a path of bounded length", () => {
    let deep: unknown = "\udc00"
    for (let depth = 0; depth < 100_000; depth++) deep = { a: deep }
    const path = findLoneSurrogate(deep) ?? ""
    expect(path.startsWith("a.a.a")).toBe(true)
    expect(path.length).toBeLessThan(300)
  })
})
