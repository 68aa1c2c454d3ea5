import { describe, expect, it } from "vitest"
import { changeText } from "../../src/store/redis/luaFunction.ts"

describe("a function's change as JSON", () => {
  it("half of a surrogate pair becomes U+FFFD, which Lua can read, and whole pairs stay", () => {
    const change = { name: "cut \ud83d", list: ["\udc00", "\ud83d\ude00"], json: '"\\ud83d"', version: 1 }
    expect(JSON.parse(String(changeText("m.f", change)))).toEqual({
      ...change,
      name: "cut \ufffd",
      list: ["\ufffd", "\ud83d\ude00"],
    })
  })

  it("null and numbers that are not finite are refused", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => changeText("m.f", { inner: { list: [value] } })).toThrow(RangeError)
    }
  })
})
