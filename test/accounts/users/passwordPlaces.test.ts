import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../../schema/limits.ts"
import { passwordPlaces } from "../../../src/accounts/users/passwords.ts"

describe("places for passwords that wait", () => {
  it("are all there before the first was checked", () => {
    expect(passwordPlaces(1, undefined)).toBe(limits.passwordsWaitingMax)
  })

  it("are as many as get their turns in time, and not one more", () => {
    const workMillis = limits.passwordWaitMillisMax / 10
    expect(passwordPlaces(1, workMillis)).toBe(10)
    expect(passwordPlaces(1, workMillis + 1)).toBe(9)
    expect(passwordPlaces(2, workMillis)).toBe(20)
  })

  it("never keep the last one waiting for longer than it may, but for one a thread", () => {
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
