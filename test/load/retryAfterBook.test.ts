import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { loadLimits } from "../../src/load/loadLimits.ts"
import { RetryAfterBook } from "../../src/load/retryAfterBook.ts"

const { retryAfterSecondsMax } = loadLimits

const perSecond = 1_000
/** A fifth of `perSecond`. */
const room = 200

describe("return times of refused clients", () => {
  it("returns fill one second before the next one is named", () => {
    const returns = new RetryAfterBook(0, () => 0)
    for (let i = 0; i < room; i++) expect(returns.book(perSecond)).toBe(1)
    expect(returns.book(perSecond)).toBe(2)
  })

  it("returns are spread at random once every second is full", () => {
    const returns = new RetryAfterBook(0, () => 0.5)
    for (let i = 0; i < room * retryAfterSecondsMax; i++) returns.book(perSecond)
    expect(returns.book(perSecond)).toBe(6)
  })

  it("returns find room again as seconds pass, also where all pass at once", () => {
    const returns = new RetryAfterBook(0, () => 0)
    for (let i = 0; i < room * retryAfterSecondsMax; i++) returns.book(perSecond)
    returns.tick(1_000)
    expect(returns.book(perSecond)).toBe(retryAfterSecondsMax)
    returns.tick(60_000)
    expect(returns.book(perSecond)).toBe(1)
  })

  it("returns never exceed a second's room while another second has room, however time passes", () => {
    const steps = fc.array(fc.record({ passMillis: fc.nat(3_000), refused: fc.nat(150) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const returns = new RetryAfterBook(0, () => 0)
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
