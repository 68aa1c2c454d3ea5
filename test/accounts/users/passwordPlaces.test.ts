import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../../schema/limits.ts"
import { passwordPlaces } from "../../../src/accounts/users/passwordQueue.ts"

describe("places for waiting passwords", () => {
  it("all places for waiting passwords are there before the first check", () => {
    expect(passwordPlaces(1, undefined)).toBe(limits.passwordsWaitingMax)
  })

  it("as many passwords may wait as can be checked in time, and not one more", () => {
    const workMillis = limits.passwordWaitMillisMax / 10
    expect(passwordPlaces(1, workMillis)).toBe(10)
    expect(passwordPlaces(1, workMillis + 1)).toBe(9)
    expect(passwordPlaces(2, workMillis)).toBe(20)
  })

  it("the last waiting password is checked in time, except that each thread has at least one place", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 60_000 }),
        (threads, workMillis) => {
          const places = passwordPlaces(threads, workMillis)
          expect(places).toBeGreaterThanOrEqual(threads)
          expect(places).toBeLessThanOrEqual(limits.passwordsWaitingMax)
          const waitMillis = (places * workMillis) / threads
          if (places > threads) expect(waitMillis).toBeLessThanOrEqual(limits.passwordWaitMillisMax)
        },
      ),
    )
  })
})
