import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hexOfId, idOfHex, makeId } from "../../schema/ids.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makeIdTokens } from "../../src/crypto/idTokens.ts"

const keyOf = (byte: number) => new Uint8Array(32).fill(byte)
const tokens = makeIdTokens(plainKey(keyOf(1)), "payment pages", "txn_")
const ids = fc
  .record({
    millis: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    partition: fc.integer({ min: 0, max: 1_023 }),
    random: fc.uint8Array({ minLength: 14, maxLength: 14 }),
  })
  .map(({ millis, partition, random }) => makeId("txn_", millis, partition, random))

describe("tokens of ids", () => {
  it("an id is the same after its hexadecimal form", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(idOfHex("txn_", hexOfId(id))).toBe(id)
      }),
    )
  })

  it("a token leads to its id, is always the same, and fits into a URL", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const token = tokens.tokenOf(id)
        expect(token).toMatch(/^[\w-]{43}$/)
        expect(tokens.tokenOf(id)).toBe(token)
        expect(tokens.idOf(token)).toBe(id)
      }),
    )
  })

  it("a token with another character anywhere, one less or one more is none", () => {
    const character = fc.constantFrom(..."AZaz09-_+/=.~ %é")
    fc.assert(
      fc.property(ids, fc.nat(42), character, (id, at, other) => {
        const token = tokens.tokenOf(id)
        fc.pre(token[at] !== other)
        expect(tokens.idOf(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined()
        expect(tokens.idOf(token.slice(0, at) + token.slice(at + 1))).toBeUndefined()
        expect(tokens.idOf(token.slice(0, at) + other + token.slice(at))).toBeUndefined()
      }),
    )
  })

  it("another spelling of the same bytes is no token", () => {
    const id = makeId("txn_", 1_763_683_655_123, 7, new Uint8Array(14).fill(9))
    const token = tokens.tokenOf(id)
    const bytes = Buffer.from(token, "base64url")
    const others = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
      .map((last) => token.slice(0, 42) + last)
      .filter((text) => text !== token && Buffer.from(text, "base64url").equals(bytes))
    expect(others.length).toBe(3)
    for (const text of [...others, `${token}=`, ` ${token}`]) expect(tokens.idOf(text)).toBeUndefined()
  })

  it("any text is refused that is not a token", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(tokens.idOf(text)).toBeUndefined()
      }),
    )
    for (const text of ["", "A".repeat(43), "A".repeat(100_000)]) expect(tokens.idOf(text)).toBeUndefined()
  })

  it("a token under another key, or for another purpose, is refused", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const others = [
          makeIdTokens(plainKey(keyOf(2)), "payment pages", "txn_"),
          makeIdTokens(plainKey(keyOf(1)), "payment page", "txn_"),
        ]
        for (const other of others) {
          expect(other.tokenOf(id)).not.toBe(tokens.tokenOf(id))
          expect(tokens.idOf(other.tokenOf(id))).toBeUndefined()
        }
      }),
    )
  })

  it("a token shows nothing of its id: tokens of neighbours share no part", () => {
    const parts = Array.from({ length: 200 }, (_, i) => {
      const random = new Uint8Array(14).fill(0)
      random[13] = i % 32
      return tokens.tokenOf(makeId("txn_", 1_763_683_655_123 + i, 7, random))
    }).flatMap((token) => [token.slice(0, 10), token.slice(-10)])
    expect(new Set(parts).size).toBe(parts.length)
  })
})
