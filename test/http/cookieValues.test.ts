import { parseCookie } from "cookie"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { cookieValues } from "../../src/http/contract/cookieValues.ts"

const name = "lm.session"
const max = limits.cookiesTriedMax

/** Names that are easily taken for ours, and ours. */
const names = fc.oneof(
  { weight: 3, arbitrary: fc.constant(name) },
  fc.constantFrom(
    "__Host-lm.session",
    "lm.sessions",
    "xlm.session",
    "LM.SESSION",
    "lm",
    "session",
    "__proto__",
    "a",
  ),
)
/** What a browser can hold as a value (RFC 6265, 4.1.1), without escapes. */
const values = fc.stringMatching(/^[!#-$&-+\--:<-[\]-~]{0,45}$/)
const pairs = fc.array(fc.tuple(names, values), { maxLength: 40 })
const separators = fc.constantFrom(";", "; ", " ;", ";;", "; ; ", ";\t")
/** Anything that the HTTP parser lets through, and more of what cookies are made of. */
const headers = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(name, "=", ";", " ", "\t", "%", "%20", '"', "__Host-"),
        fc.string({ maxLength: 3 }),
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join("")),
)

const written = (given: ReadonlyArray<readonly [string, string]>, between: string) =>
  given.map(([one, value]) => `${one}=${value}`).join(between)

describe("the values of a cookie", () => {
  it("are all that the header has for the name, in its order, each once", () => {
    fc.assert(
      fc.property(pairs, separators, (given, between) => {
        const own = given.flatMap(([one, value]) => (one === name ? [value] : []))
        expect(cookieValues(written(given, between), name)).toEqual([...new Set(own)].slice(0, max))
      }),
    )
  })

  it("begin with the one that the package's own parser finds, whatever the header is", () => {
    fc.assert(
      fc.property(headers, (header) => {
        const found = cookieValues(header, name)
        expect(found[0]).toBe(parseCookie(header)[name])
        expect(found.length).toBeLessThanOrEqual(Math.min(max, header.split(";").length))
      }),
    )
  })

  it("of two lines are those of one and then the other", () => {
    fc.assert(
      fc.property(headers, headers, (one, other) => {
        const both = [...cookieValues(one, name), ...cookieValues(other, name)]
        expect(cookieValues(`${one}; ${other}`, name)).toEqual([...new Set(both)].slice(0, max))
      }),
    )
  })

  it("are found behind whatever pages of other domains put before them, up to what is tried", () => {
    fc.assert(
      fc.property(fc.uniqueArray(values, { maxLength: max - 1 }), values, (planted, own) => {
        const header = written(
          [...planted, own].map((value) => [name, value] as const),
          "; ",
        )
        expect(cookieValues(header, name)).toContain(own)
      }),
    )
    const planted = Array.from({ length: max }, (_, i) => [name, String(i)] as const)
    expect(cookieValues(written([...planted, [name, "own"]], "; "), name)).not.toContain("own")
  })

  it("are found in a header of nothing but separators and other cookies, however long", () => {
    expect(cookieValues(";".repeat(16_384), name)).toEqual([])
    expect(cookieValues(`${"a=;".repeat(5_000)}${name}=own`, name)).toEqual(["own"])
  })
})
