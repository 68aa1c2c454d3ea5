import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { actsOfKind } from "../../schema/resources/exception.ts"
import { callsOf, mustHave, pointOf } from "./moneyKillCases.ts"
import { resolutionPaths } from "./moneyKillResolutions.ts"
import { type KillRun, startKillRun } from "./moneyKillRun.ts"
import {
  resolutionCases,
  resolutionLanes,
  resolutionTable,
  unharmedResolutions,
} from "./resolutionKillCases.ts"

/** All cases run at once from the beginning, so the first test may wait for most of them. */
const timeout = 600_000

let run: KillRun
beforeAll(async () => {
  run = await startKillRun(unharmedResolutions, resolutionCases, resolutionLanes)
})
afterAll(() => run?.stop())

describe("the resolutions of exceptions", { timeout }, () => {
  for (const unharmed of unharmedResolutions) {
    it(`the path ${unharmed.name} passes the calls of its table`, async () => {
      const { calls } = await run.outcome(unharmed)
      expect(calls).toEqual(callsOf(unharmed.path))
    })
  }

  it("every act of every kind has a path", () => {
    const wanted = Object.entries(actsOfKind).flatMap(([kind, acts]) =>
      acts.map((act) => `${kind} resolved ${act}`),
    )
    const found = new Set(Object.values(resolutionPaths).flatMap(({ books }) => books.exceptions))
    expect(wanted.filter((one) => !found.has(one))).toEqual([])
  })

  it("every call of a path has a fault point before it, and after it if it changes anything", () => {
    const killedAt = new Set(resolutionTable.flatMap(({ faultPoints }) => faultPoints).map(pointOf))
    const calls = Object.values(resolutionPaths).flatMap((path): ReadonlyArray<string> => path.calls)
    const wanted = new Set(calls.flatMap((call) => mustHave(call.replace(/\[.*/, ""))))
    expect([...wanted].filter((point) => !killedAt.has(point))).toEqual([])
  })
})

describe("kill -9 while an exception is resolved", { timeout }, () => {
  for (const kill of resolutionCases) {
    it(`the act is done once, and makes and loses no money, in ${kill.name}`, async () => {
      await run.outcome(kill)
    })
  }

  it("the PSP pays no withdrawal twice, and has no return that is not in the books", async () => {
    const outcomes = await Promise.all([...unharmedResolutions, ...resolutionCases].map(run.outcome))
    expect([...run.psp.payouts.values()].filter((times) => times !== 1)).toEqual([])
    expect(run.psp.returns()).toBe(outcomes.reduce((sum, { made }) => sum + made, 0))
  })
})
