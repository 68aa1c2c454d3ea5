import { expect, it } from "vitest"
import { faultNames } from "./kinds.ts"
import { planOf } from "./plan.ts"

const duration = { millisMin: 100, millisMax: 200 }

it("the same seed plans the same faults, and another one others", () => {
  const plan = planOf(7, faultNames, 40, duration)
  expect(plan).toHaveLength(40)
  expect(planOf(7, faultNames, 40, duration)).toEqual(plan)
  expect(planOf(8, faultNames, 40, duration)).not.toEqual(plan)
})

it("a plan has every fault before it has one again, and durations within their bounds", () => {
  const plan = planOf(1, faultNames, faultNames.length, duration)
  expect(plan.map(({ name }) => name).toSorted()).toEqual(faultNames.toSorted())
  for (const { dice } of plan) {
    expect(dice.millis).toBeGreaterThanOrEqual(duration.millisMin)
    expect(dice.millis).toBeLessThanOrEqual(duration.millisMax)
    expect(dice.pick).toBeLessThan(1)
  }
})
