import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  allKillCases,
  callsOf,
  type KillCase,
  killCases,
  killLanes,
  mustHave,
  paths,
  pointOf,
  unharmedCases,
} from "./moneyKillCases.ts"
import { type KillRun, startKillRun } from "./moneyKillRun.ts"

/** All cases run at once from the beginning, so the first test may wait for most of them. */
const timeout = 600_000

const pointsOf = (cases: ReadonlyArray<KillCase>) =>
  new Set(cases.flatMap(({ faultPoints }) => faultPoints).map(pointOf))

let run: KillRun
beforeAll(async () => {
  run = await startKillRun(unharmedCases, killCases, killLanes)
})
afterAll(() => run.stop())

describe("the paths of money", { timeout }, () => {
  for (const unharmed of unharmedCases) {
    it(`the path ${unharmed.name} passes the calls of its table`, async () => {
      const { calls } = await run.outcome(unharmed)
      expect(calls).toEqual(callsOf(unharmed.path))
    })
  }

  it("every call of a path has a fault point before it, and after it if it changes anything", () => {
    const calls = unharmedCases.flatMap(({ path }) => paths[path].calls)
    const wanted = [...new Set(calls.flatMap((call) => mustHave(call.replace(/\[.*/, ""))))]
    expect(wanted.filter((point) => !pointsOf(allKillCases).has(point))).toEqual([])
    const changes = wanted.filter((point) => point.startsWith("after:"))
    expect(changes.filter((point) => !pointsOf(killCases).has(point))).toEqual([])
  })
})

describe("kill -9 at a call", { timeout }, () => {
  for (const kill of killCases) {
    it(`kill -9 makes and loses no money in ${kill.name}`, async () => {
      await run.outcome(kill)
    })
  }

  it("the PSP pays no withdrawal twice, and has no payout, return or charge that is not in the books", async () => {
    const outcomes = await Promise.all([...unharmedCases, ...killCases].map(run.outcome))
    const sumOf = (what: "paid" | "charges" | "made") =>
      outcomes.reduce((sum, outcome) => sum + outcome[what], 0)
    expect([...run.psp.payouts.values()].filter((times) => times !== 1)).toEqual([])
    expect(run.psp.payouts.size).toBe(sumOf("paid"))
    expect(run.psp.returns()).toBe(sumOf("made"))
    expect(new Set(run.psp.requestsOf("PUT /cob/").map(({ path }) => path)).size).toBe(sumOf("charges"))
  })
})
