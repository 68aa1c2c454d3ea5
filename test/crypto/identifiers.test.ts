import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { isId, partitionOfId, timeOfId } from "../../schema/ids.ts"
import { IdentifiersLive } from "../../src/crypto/identifiers.ts"

const identifiers = Effect.runSync(Identifiers.pipe(Effect.provide(IdentifiersLive)))
const millis = Date.parse("2026-11-21T00:07:35.123Z")

/** Pearson's chi-square statistic of the counts against a uniform distribution. */
const chiSquare = (counts: ReadonlyArray<number>): number => {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
const countsOf = (texts: ReadonlyArray<string>, alphabet: string): ReadonlyArray<number> => {
  const counts = new Map([...alphabet].map((character) => [character, 0]))
  for (const text of texts)
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()]
}
/** Chance exceeds this about once in 10¹⁰ times, with 31 or 35 degrees of freedom. */
const chiSquareMax = 120

describe("an identifier", () => {
  it("an identifier is a prefix and 26 characters that encode its time and partition", () => {
    const prefix = fc.constantFrom(
      "txn_",
      "wd_",
      "whd_",
      "we_",
      "pk_",
      "ses_",
      "key_",
      "sel_",
      "inv_",
      "inb_",
      "le_",
    )
    const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    fc.assert(
      fc.property(prefix, fc.nat({ max: 1_023 }), time, (kind, partition, at) => {
        const id = identifiers.id(kind, partition, at)

        expect(id).toMatch(/^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/)
        expect(isId(kind, id)).toBe(true)
        expect(partitionOfId(id)).toBe(partition)
        expect(timeOfId(id)).toBe(at)
      }),
    )
  })

  it("identifiers are all different, even within a millisecond", () => {
    const ids = Array.from({ length: 100_000 }, () => identifiers.id("txn_", 7, millis))

    expect(new Set(ids).size).toBe(ids.length)
  })

  it("identifiers sort by age", () => {
    expect(identifiers.id("txn_", 0, millis) < identifiers.id("txn_", 0, millis + 1)).toBe(true)
  })

  it("an identifier's random characters are drawn evenly from the whole alphabet", () => {
    const tails = Array.from({ length: 5_000 }, () => identifiers.id("txn_", 0, millis).slice(-14))

    expect(chiSquare(countsOf(tails, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"))).toBeLessThan(chiSquareMax)
  })
})

describe("random characters", () => {
  it("alphanumeric gives as many digits and capitals as asked for", () => {
    for (const length of [0, 1, 11, 16, 32, 8_191, 8_192, 8_193, 20_000]) {
      const text = identifiers.alphanumeric(length)

      expect(text).toHaveLength(length)
      expect(text).toMatch(/^[0-9A-Z]*$/)
    }
  })

  it("alphanumeric gives a different text each time", () => {
    const texts = Array.from({ length: 20_000 }, () => identifiers.alphanumeric(16))

    expect(new Set(texts).size).toBe(texts.length)
  })

  it("alphanumeric draws every character equally often, including the first four of a byte's remainder", () => {
    const texts = Array.from({ length: 5_000 }, () => identifiers.alphanumeric(32))

    expect(chiSquare(countsOf(texts, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))).toBeLessThan(chiSquareMax)
  })
})
