import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DueWindow } from "../../../actors/runtime/dueWindow.ts"
import { limits } from "../../../schema/limits.ts"

const sizeMin = 8
const sizeMax = 64
const waiting = limits.dueWorkYieldsAboveMillis + 1

/** A window whose requests and clock the test controls. */
const makeStand = () => {
  const state = { delayMillis: 0, making: 0, begun: 0, nowMillis: 1_000 }
  const window = new DueWindow({
    ...{ sizeMin, sizeMax, perRequest: 2 },
    requests: {
      currentMillis: () => state.delayMillis,
      inProgress: () => state.making,
      started: () => state.begun,
    },
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

describe("the window of due work", () => {
  it("the due-work window keeps its full size while there is no request", () => {
    const { window, look } = makeStand()

    expect(window.take(1_000)).toBe(sizeMax)
    expect(look(10)).toBe(sizeMax)
  })

  it("the due-work window drops to its minimum with the first request and regrows in steps without any", () => {
    const { state, look } = makeStand()
    state.making = 1
    expect(look()).toBe(sizeMin)
    state.making = 0
    expect(look()).toBe(sizeMin + Math.ceil(sizeMax / limits.dueWorkGrowthLooks))

    expect(look(limits.dueWorkGrowthLooks)).toBe(sizeMax)
  })

  it("the due-work window stays small while requests wait too long, though none is in progress", () => {
    const { state, look } = makeStand()
    state.delayMillis = waiting
    state.begun = 1
    expect(look()).toBe(sizeMin)
    state.delayMillis = limits.dueWorkYieldsAboveMillis

    expect(look()).toBeGreaterThan(sizeMin)
  })

  it("the due-work window regrows once no request has begun for a second, not a look sooner", () => {
    const { state, look } = makeStand()
    state.delayMillis = waiting
    state.begun = 1
    const looks = limits.dueWorkQuietMillis / limits.dueWorkLookMillis
    expect(look(looks)).toBe(sizeMin)
    expect(look()).toBeGreaterThan(sizeMin)
    state.begun = 2

    expect(look()).toBe(sizeMin)
  })

  it("the due-work window regrows within a second after the clock was set back, and not at once", () => {
    const { state, look } = makeStand()
    Object.assign(state, { delayMillis: waiting, begun: 1 })
    expect(look()).toBe(sizeMin)
    state.nowMillis -= 3_600_000
    const looks = limits.dueWorkQuietMillis / limits.dueWorkLookMillis
    expect(look(looks)).toBe(sizeMin)

    expect(look()).toBeGreaterThan(sizeMin)
  })

  it("the due-work window grows with the number of requests in progress, up to its maximum", () => {
    const { state, look } = makeStand()
    state.making = 20
    expect(look()).toBe(40)
    state.making = 1_000

    expect(look()).toBe(sizeMax)
  })

  it("the due-work window does not change between two looks", () => {
    const { state, window } = makeStand()
    window.take(0)
    state.making = 1
    for (let i = 0; i < 10; i++) window.take(0)

    expect(window.size).toBe(sizeMax)
  })

  it("the due-work window never grants more than its size and is full again once all is given back", () => {
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
          // After it has shrunk, more may be taken than its present size.
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
