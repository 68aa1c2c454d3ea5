import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CreateTransaction, Email } from "../../schema/resources/transaction.ts"
import { lineOf, linesOf } from "../../schema/text.ts"

const isLine = Schema.is(lineOf(0, 10))
const isLines = Schema.is(linesOf(10))

/** Each with a name that can be read. */
const hostile: ReadonlyArray<readonly [string, string]> = [
  ["NUL", "\u0000"],
  ["bell", "\u0007"],
  ["carriage return", "\r"],
  ["escape", "\u001b"],
  ["delete", "\u007f"],
  ["a C1 control", "\u009b"],
  ["a right-to-left override", "\u202e"],
  ["a bidirectional isolate", "\u2067"],
  ["half of a surrogate pair", "\ud83d"],
]

/** What ends a line or moves on in it: only texts of several lines have them. */
const breaks: ReadonlyArray<readonly [string, string]> = [
  ["line feed", "\n"],
  ["tab", "\t"],
  ["line separator", "\u2028"],
  ["paragraph separator", "\u2029"],
]

describe("a line of text", () => {
  it.each([...hostile, ...breaks])("holds no %s, wherever it stands", (_, mark) => {
    for (const text of [mark, `a${mark}`, `${mark}a`, `a${mark}b`])
      expect([text, isLine(text)]).toEqual([text, false])
  })

  it("holds letters of all scripts, marks and emoji, counted by code points up to its bound", () => {
    for (const text of ["", "São João", "日本語", "ภาษาไทย", "עברית", "👩‍👩‍👧", "a\u0301", "😀".repeat(10)]) {
      expect([text, isLine(text)]).toEqual([text, true])
    }
    expect(isLine("😀".repeat(11))).toBe(false)
  })

  it("holds no character below space", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 31 }), (code) => !isLine(String.fromCharCode(code))))
  })
})

describe("lines of text", () => {
  it.each(hostile)("hold no %s", (_, mark) => {
    expect(isLines(`a${mark}b`)).toBe(false)
  })

  it.each(breaks)("hold a %s", (_, mark) => {
    expect(isLines(`a${mark}b`)).toBe(true)
  })
})

describe("an e-mail address", () => {
  it.each([...hostile, ...breaks])("holds no %s", (_, mark) => {
    for (const text of [`a${mark}@b.co`, `a@b${mark}.co`, `a@b.co${mark}`])
      expect(Schema.is(Email)(text)).toBe(false)
  })
})

describe("a charge's body", () => {
  const body = {
    amount: 100,
    payment_method: "pix",
    customer: { name: "Ana", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "x", quantity: 1, unit_amount: 100 }],
  }
  const isBody = Schema.is(CreateTransaction)

  it("takes line feeds and tabs in the values of metadata alone", () => {
    expect(isBody({ ...body, metadata: { note: "a\n\tb" } })).toBe(true)
    expect(isBody({ ...body, metadata: { "no\nte": "a" } })).toBe(false)
    expect(isBody({ ...body, metadata: { note: "a\u0000" } })).toBe(false)
    expect(isBody({ ...body, postback_url: "https://shop.example/\u0000" })).toBe(false)
    expect(isBody({ ...body, items: [{ ...body.items[0], name: "a\nb" }] })).toBe(false)
    expect(isBody({ ...body, customer: { ...body.customer, name: "Ana\u0000" } })).toBe(false)
    expect(isBody({ ...body, customer: { ...body.customer, phone: "1\u0000" } })).toBe(false)
  })
})
