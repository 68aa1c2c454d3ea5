import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Returns, retryAfterSecondsMax } from "../../src/load/returns.ts"

const perSecond = 1_000
/** A fifth of them. */
const room = 200

describe("returns of who is refused", () => {
  it("fill a second before the next one is named", () => {
    const returns = new Returns(0, () => 0)
    for (let i = 0; i < room; i++) expect(returns.book(perSecond)).toBe(1)
    expect(returns.book(perSecond)).toBe(2)
  })

  it("are at any second once all have as many as they should", () => {
    const returns = new Returns(0, () => 0.5)
    for (let i = 0; i < room * retryAfterSecondsMax; i++) returns.book(perSecond)
    expect(returns.book(perSecond)).toBe(6)
  })

  it("have the room again of seconds that have passed, also of all at once", () => {
    const returns = new Returns(0, () => 0)
    for (let i = 0; i < room * retryAfterSecondsMax; i++) returns.book(perSecond)
    returns.tick(1_000)
    expect(returns.book(perSecond)).toBe(retryAfterSecondsMax)
    returns.tick(60_000)
    expect(returns.book(perSecond)).toBe(1)
  })

  it("never exceed a second's room while there is a second with room, however time passes", () => {
    const steps = fc.array(fc.record({ passMillis: fc.nat(3_000), refused: fc.nat(150) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const returns = new Returns(0, () => 0)
        const bySecond = new Map<number, number>()
        let nowMillis = 0
        for (const { passMillis, refused } of all) {
          nowMillis += passMillis
          returns.tick(nowMillis)
          for (let i = 0; i < refused; i++) {
            const ahead = Array.from(
              { length: retryAfterSecondsMax },
              (_, at) => Math.floor(nowMillis / 1_000) + 1 + at,
            )
            const hasRoom = ahead.some((second) => (bySecond.get(second) ?? 0) < room)
            const second = Math.floor(nowMillis / 1_000) + returns.book(perSecond)
            const booked = bySecond.get(second) ?? 0
            if (hasRoom) expect(booked).toBeLessThan(room)
            bySecond.set(second, booked + 1)
          }
        }
      }),
    )
  })
})
