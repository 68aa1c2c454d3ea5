import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createCharge, errorOf, goodCharge, inFixture } from "../http/fixture.ts"
import { hostileFactor, hostileSeed, hostileTimeoutMillis } from "./effort.ts"

const good = JSON.stringify(goodCharge)
/** The valid charge with another member in front. */
const withMember = (member: string): string => `{${member},${good.slice(1)}`

/** Bodies that have crashed parsers, or that parsers read in different ways; each is refused. */
const refused: ReadonlyArray<readonly [name: string, body: string | Uint8Array]> = [
  ["a hundred thousand open arrays", "[".repeat(100_000)],
  ["fifty thousand open objects", '{"a":'.repeat(50_000)],
  ["a deep value of a field", withMember(`"metadata":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)],
  ["a byte order mark", `\ufeff${good}`],
  ["UTF-16", Buffer.from(good, "utf16le")],
  [
    "an overlong encoding of a slash",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')]),
  ],
  [
    "an encoded surrogate",
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ],
  ["a NUL behind", `${good}\0`],
  ["a NUL in front", `\0${good}`],
  ["a comment", `/* */${good}`],
  ["single quotes", good.replaceAll('"', "'")],
  ["a trailing comma", good.replace(/\}$/, ",}")],
  ["two texts", good + good],
  ["NaN", good.replace("1990", "NaN")],
  ["Infinity", good.replace("1990", "Infinity")],
  ["a number beyond all doubles", good.replace("1990", "1e999")],
  ["a negative zero", good.replace("1990", "-0")],
  ["a number with a leading zero", good.replace("1990", "01990")],
  ["a number with a plus", good.replace("1990", "+1990")],
  ["a hexadecimal number", good.replace("1990", "0x7c6")],
  ["a number of 100,000 digits", good.replace("1990", "9".repeat(100_000))],
  ["2^53 + 1", good.replace("1990", "9007199254740993")],
  ["an object with valueOf and toString", good.replace("1990", '{"valueOf":1990,"toString":"1990"}')],
  ["an array around the amount", good.replace("1990", "[1990]")],
  ["all members in __proto__", `{"__proto__":${good}}`],
]

describe("hostile JSON bodies", () => {
  it.live.each(refused)("a JSON body with %s is 400 validation_failed", ([, body]) =>
    inFixture(async (fixture) => {
      const response = await createCharge(fixture, body)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({ code: "validation_failed" })
      expect((await createCharge(fixture, goodCharge)).status).toBe(201)
      expect(fixture.logs).toEqual([])
    })(),
  )

  it.live(
    "a JSON body with __proto__, constructor or prototype leaves the prototypes alone",
    inFixture(async (fixture) => {
      for (const name of ["__proto__", "constructor", "prototype"]) {
        for (const value of ['{"polluted":1}', '{"prototype":{"polluted":1}}', "[]", "null", '"x"']) {
          const response = await createCharge(fixture, withMember(`"${name}":${value}`))
          expect(response.status).toBe(201)
          expect(await response.json()).toEqual(goodCharge)
        }
      }
      expect(Reflect.get({}, "polluted")).toBeUndefined()
      expect(Reflect.get(() => {}, "polluted")).toBeUndefined()
    }),
  )

  it.live(
    "a valid JSON body spoiled at one place is 201 or 400, and never an error of ours",
    inFixture(async (fixture) => {
      const spoiled = fc
        .record({ at: fc.nat(good.length), cut: fc.nat(3), put: fc.uint8Array({ maxLength: 4 }) })
        .map(({ at, cut, put }) =>
          Buffer.concat([Buffer.from(good.slice(0, at)), put, Buffer.from(good.slice(at + cut))]),
        )
      await fc.assert(
        fc.asyncProperty(spoiled, async (body) => {
          const response = await createCharge(fixture, body)
          expect([201, 400]).toContain(response.status)
          await response.text()
        }),
        { numRuns: 500 * hostileFactor, seed: hostileSeed },
      )
      expect(fixture.logs).toEqual([])
    }),
    hostileTimeoutMillis,
  )
})
