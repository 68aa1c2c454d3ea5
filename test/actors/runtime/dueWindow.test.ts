import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DueWindow } from "../../../actors/runtime/dueWindow.ts"
import { limits } from "../../../schema/limits.ts"

const sizeMin = 8
const sizeMax = 64
const waiting = limits.dueWorkYieldsAboveMillis + 1

/** A window, requests that wait as the test says, and time that passes as it says. */
const makeStand = () => {
  const state = { delayMillis: 0, making: 0, nowMillis: 1_000 }
  const window = new DueWindow({
    ...{ sizeMin, sizeMax, perRequest: 2 },
    requests: { currentMillis: () => state.delayMillis, inTheMaking: () => state.making },
    nowMillis: () => state.nowMillis,
  })
  const look = (times = 1) => {
    for (let i = 0; i < times; i++) {
      state.nowMillis += limits.dueWorkLookMillis
      window.take(0)
    }
    return window.size
  }
  return { state, window, look }
}

describe("a window of due work", () => {
  it("is whole while no request waits", () => {
    const { window, look } = makeStand()

    expect(window.take(1_000)).toBe(sizeMax)
    expect(look(10)).toBe(sizeMax)
  })

  it("shrinks to its least while requests wait, never below, and grows again when they do not", () => {
    const { state, look } = makeStand()
    state.delayMillis = waiting
    expect([look(), look(), look(), look()]).toEqual([32, 16, 8, 8])
    state.delayMillis = 0

    expect(look()).toBeGreaterThan(sizeMin)
    expect(look(100)).toBe(sizeMax)
  })

  it("stays as it is at the delay that requests may have", () => {
    const { state, look } = makeStand()
    state.delayMillis = limits.dueWorkYieldsAboveMillis

    expect(look(3)).toBe(sizeMax)
  })

  it("keeps its share beside many requests, which wait for each other", () => {
    const { state, look } = makeStand()
    state.delayMillis = waiting
    state.making = 20
    expect(look(10)).toBe(40)
    state.making = 1_000

    expect(look(10)).toBe(sizeMax)
  })

  it("changes no more often than it looks", () => {
    const { state, window } = makeStand()
    state.delayMillis = waiting
    for (let i = 0; i < 10; i++) window.take(0)

    expect(window.size).toBe(sizeMax / 2)
  })

  it("never gives more room than it has, and has all of it again when all is given back", () => {
    const step = fc.record({
      wanted: fc.integer({ min: 0, max: 100 }),
      givenShare: fc.double({ min: 0, max: 1, noNaN: true }),
      delayMillis: fc.integer({ min: 0, max: 2 * waiting }),
      making: fc.integer({ min: 0, max: 200 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const { state, window, look } = makeStand()
        let held = 0
        for (const { wanted, givenShare, delayMillis, making } of steps) {
          Object.assign(state, { delayMillis, making })
          state.nowMillis += limits.dueWorkLookMillis
          const got = window.take(wanted)
          held += got
          expect(got).toBeLessThanOrEqual(wanted)
          // A window that has shrunk may hold more than it would take now.
          if (got > 0) expect(held).toBeLessThanOrEqual(window.size)
          expect(window.size).toBeGreaterThanOrEqual(sizeMin)
          expect(window.size).toBeLessThanOrEqual(sizeMax)
          expect(Number.isInteger(window.size)).toBe(true)
          const given = Math.floor(held * givenShare)
          window.give(given)
          held -= given
          expect(window.taken).toBe(held)
        }
        window.give(held)
        Object.assign(state, { delayMillis: 0, making: 0 })
        look(100)
        expect(window.take(1_000)).toBe(sizeMax)
      }),
    )
  })
})
