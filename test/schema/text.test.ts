import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CreateTransaction, Email } from "../../schema/resources/transaction.ts"
import { lineOf, linesOf } from "../../schema/text.ts"

const isLine = Schema.is(lineOf(0, 10))
const isLines = Schema.is(linesOf(10))

/** Characters that no text may hold, each with a readable name. */
const hostile: ReadonlyArray<readonly [string, string]> = [
  ["a NUL", "\u0000"],
  ["a bell", "\u0007"],
  ["an escape", "\u001b"],
  ["a delete", "\u007f"],
  ["a C1 control", "\u009b"],
  ["a right-to-left override", "\u202e"],
  ["a bidirectional isolate", "\u2067"],
  ["half of a surrogate pair", "\ud83d"],
]

/** Characters that end a line or move on in it: only texts of several lines may hold them. */
const breaks: ReadonlyArray<readonly [string, string]> = [
  ["a line feed", "\n"],
  ["a carriage return", "\r"],
  ["a tab", "\t"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
]

describe("lines of text", () => {
  it.each([...hostile, ...breaks])("a line of text with %s is refused, wherever it stands", (_, mark) => {
    for (const text of [mark, `a${mark}`, `${mark}a`, `a${mark}b`])
      expect([text, isLine(text)]).toEqual([text, false])
  })

  it("a line of text may hold letters of all scripts, marks and emoji, counted by code points", () => {
    for (const text of ["", "São João", "日本語", "ภาษาไทย", "עברית", "👩‍👩‍👧", "a\u0301", "😀".repeat(10)]) {
      expect([text, isLine(text)]).toEqual([text, true])
    }
    expect(isLine("😀".repeat(11))).toBe(false)
  })

  it("a line of text with a character below space is refused", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 31 }), (code) => !isLine(String.fromCharCode(code))))
  })
})

describe("texts of several lines", () => {
  it.each(hostile)("a text of several lines with %s is refused", (_, mark) => {
    expect(isLines(`a${mark}b`)).toBe(false)
  })

  it.each(breaks)("a text of several lines with %s is accepted", (_, mark) => {
    expect(isLines(`a${mark}b`)).toBe(true)
  })
})

describe("e-mail addresses", () => {
  it.each([...hostile, ...breaks])("an e-mail address with %s is refused", (_, mark) => {
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

  it("a charge may hold line breaks and tabs in the values of its metadata alone", () => {
    expect(isBody({ ...body, metadata: { note: "a\r\n\tb\r" } })).toBe(true)
    expect(isBody({ ...body, metadata: { "no\nte": "a" } })).toBe(false)
    expect(isBody({ ...body, metadata: { "no\rte": "a" } })).toBe(false)
    expect(isBody({ ...body, items: [{ ...body.items[0], name: "a\rb" }] })).toBe(false)
    expect(isBody({ ...body, metadata: { note: "a\u0000" } })).toBe(false)
    expect(isBody({ ...body, postback_url: "https://shop.example/\u0000" })).toBe(false)
    expect(isBody({ ...body, items: [{ ...body.items[0], name: "a\nb" }] })).toBe(false)
    expect(isBody({ ...body, customer: { ...body.customer, name: "Ana\u0000" } })).toBe(false)
    expect(isBody({ ...body, customer: { ...body.customer, phone: "1\u0000" } })).toBe(false)
  })
})
