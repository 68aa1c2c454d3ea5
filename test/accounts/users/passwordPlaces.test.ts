import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../../schema/limits.ts"
import { passwordPlaces } from "../../../src/accounts/users/passwordQueue.ts"

describe("places for waiting passwords", () => {
  it("all places for waiting passwords are there before the first check", () => {
    expect(passwordPlaces(1, undefined)).toEqual({
      all: limits.passwordsWaitingMax,
      first: limits.passwordsWaitingMax,
    })
  })

  it("as many passwords may wait as can be checked in time, and not one more", () => {
    const workMillis = limits.passwordWaitMillisMax / 10
    expect(passwordPlaces(1, workMillis).all).toBe(10)
    expect(passwordPlaces(1, workMillis + 1).all).toBe(9)
    expect(passwordPlaces(2, workMillis).all).toBe(20)
  })

  it("as many first tries may wait as can be checked within 3 s beside others, and not one more", () => {
    // Three of four turns are theirs.
    expect(passwordPlaces(1, 250).first).toBe(9)
    expect(passwordPlaces(1, 251).first).toBe(8)
    expect(passwordPlaces(2, 250).first).toBe(18)
    expect(passwordPlaces(1, 60_000).first).toBe(1)
  })

  it("the last waiting password is checked in time, except that each thread has at least one place", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 60_000 }),
        (threads, workMillis) => {
          const { all: places, first } = passwordPlaces(threads, workMillis)
          expect(first).toBeGreaterThanOrEqual(threads)
          expect(first).toBeLessThanOrEqual(places)
          expect(places).toBeGreaterThanOrEqual(threads)
          expect(places).toBeLessThanOrEqual(limits.passwordsWaitingMax)
          const waitMillis = (places * workMillis) / threads
          if (places > threads) expect(waitMillis).toBeLessThanOrEqual(limits.passwordWaitMillisMax)
        },
      ),
    )
  })
})
