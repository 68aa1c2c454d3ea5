import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AttemptSlots, InFlightWindow } from "../../../actors/endpoint/attemptSlots.ts"
import { limits } from "../../../schema/limits.ts"
import { responseFaults } from "../../../schema/names.ts"

const { attemptsInFlightMax, suspectAttemptsInFlightMax, attemptsInFlightPerDestination } = limits

describe("the attempt slots of a process", () => {
  it("attempt slots are granted up to their number and not one more", () => {
    const slots = new AttemptSlots()

    expect(slots.take(attemptsInFlightMax - 1, false)).toBe(attemptsInFlightMax - 1)
    expect(slots.take(2, false)).toBe(1)
    expect(slots.take(1, false)).toBe(0)
    slots.give(3, false)
    expect(slots.take(5, false)).toBe(3)
    expect(slots.inFlight).toBe(attemptsInFlightMax)
  })

  it("a destination may have 64 attempts in flight beside four busy ones, fewer beside more, and 32 beside any number", () => {
    const slots = new AttemptSlots()
    expect(slots.perDestinationMax(0)).toBe(64)
    for (let busy = 1; busy <= 3; busy++) slots.enter()

    expect([0, 2, 3, 5, 7, 100].map((waiting) => slots.perDestinationMax(waiting))).toEqual([
      64, 64, 53, 40, 32, 32,
    ])
    for (let busy = 1; busy <= 3; busy++) slots.leave()
    expect(slots.perDestinationMax(5)).toBe(64)
  })

  it("suspect destinations get at most their share of the attempt slots, whatever is free", () => {
    const slots = new AttemptSlots()

    expect(slots.take(suspectAttemptsInFlightMax + 1, true)).toBe(suspectAttemptsInFlightMax)
    expect(slots.take(1, true)).toBe(0)
    expect(slots.take(attemptsInFlightMax, false)).toBe(attemptsInFlightMax - suspectAttemptsInFlightMax)
    slots.give(1, false)
    expect(slots.take(1, true)).toBe(0)
    slots.give(1, true)
    expect(slots.take(2, true)).toBe(1)
  })

  it("suspect destinations get no more attempt slots than are free", () => {
    const slots = new AttemptSlots()
    slots.take(attemptsInFlightMax - 10, false)

    expect(slots.take(20, true)).toBe(10)
  })

  it("attempt slots in use never exceed their bounds, and all come back", () => {
    const take = fc.record({
      wanted: fc.nat({ max: 900 }),
      isSuspect: fc.boolean(),
      isGivenBack: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(take, { maxLength: 60 }), (takes) => {
        const slots = new AttemptSlots()
        const held = { suspect: 0, other: 0 }
        for (const { wanted, isSuspect, isGivenBack } of takes) {
          const kind = isSuspect ? "suspect" : "other"
          if (isGivenBack) {
            const count = Math.min(wanted, held[kind])
            slots.give(count, isSuspect)
            held[kind] -= count
          } else {
            const got = slots.take(wanted, isSuspect)
            expect(got).toBeLessThanOrEqual(wanted)
            held[kind] += got
          }
          expect(slots.inFlight).toBe(held.suspect + held.other)
          expect(slots.inFlight).toBeLessThanOrEqual(attemptsInFlightMax)
          expect(held.suspect).toBeLessThanOrEqual(suspectAttemptsInFlightMax)
        }
        slots.give(held.suspect, true)
        slots.give(held.other, false)
        expect(slots.inFlight).toBe(0)
        expect(slots.take(attemptsInFlightMax, false)).toBe(attemptsInFlightMax)
      }),
    )
  })
})

const success = { outcome: "success", error: null } as const
const failed = (error: string) => ({ outcome: "failed", error }) as const

describe("a destination's window", () => {
  it("a destination's window starts at its full size, and not suspect", () => {
    const window = new InFlightWindow()

    expect([window.size, window.isSuspect]).toEqual([attemptsInFlightPerDestination, false])
  })

  it.each(["timeout", "connection_error", ...responseFaults])(
    "a destination's window is halved by each %s, down to one",
    (error) => {
      const window = new InFlightWindow()
      const sizes = [1, 2, 3, 4, 5, 6, 7].map(() => {
        window.record(failed(error))
        return window.size
      })

      expect(sizes).toEqual([32, 16, 8, 4, 2, 1, 1])
      expect(window.isSuspect).toBe(true)
    },
  )

  it.each(["http_500", "http_429", "redirect_not_followed", "blocked_destination", "endpoint_disabled"])(
    "a destination's window does not change on %s",
    // The receiver answered in time, or nothing was sent.
    (error) => {
      const window = new InFlightWindow()
      window.record(failed("timeout"))
      window.record(failed(error))

      expect(window.size).toBe(32)
    },
  )

  it("a destination's window grows by one with each success and is suspect until it is full", () => {
    const window = new InFlightWindow()
    window.record(failed("timeout"))
    for (let size = attemptsInFlightPerDestination / 2 + 1; size <= attemptsInFlightPerDestination; size++) {
      expect(window.isSuspect).toBe(true)
      window.record(success)
      expect(window.size).toBe(size)
    }
    expect(window.isSuspect).toBe(false)
    window.record(success)

    expect(window.size).toBe(attemptsInFlightPerDestination)
  })

  it("a destination's window stays between one and its bound, whatever the outcomes", () => {
    const outcome = fc.constantFrom(
      success,
      failed("timeout"),
      failed("connection_error"),
      failed("http_500"),
    )
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
        const window = new InFlightWindow()
        for (const each of outcomes) {
          window.record(each)
          expect(window.size).toBeGreaterThanOrEqual(1)
          expect(window.size).toBeLessThanOrEqual(attemptsInFlightPerDestination)
          expect(Number.isInteger(window.size)).toBe(true)
        }
      }),
    )
  })
})
