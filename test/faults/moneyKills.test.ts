import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { killCases, mustHave, paths, pointOf, unharmedCases } from "./moneyKillCases.ts"
import { type KillRun, startKillRun } from "./moneyKillRun.ts"

/** All cases run side by side from the beginning: whichever is waited for first may wait for most of them. */
const timeout = 600_000

let run: KillRun
beforeAll(async () => {
  run = await startKillRun(unharmedCases, killCases)
})
afterAll(() => run.stop())

describe("the paths that money takes", { timeout }, () => {
  it.each(unharmedCases)("$name passes the calls of its table", async (unharmed) => {
    const { calls } = await run.outcome(unharmed)
    expect(calls).toEqual(paths[unharmed.path].calls)
  })

  it("have a fault point before every call of theirs, and after every one that changes anything", () => {
    const points = killCases.flatMap(({ faultPoints }) => faultPoints)
    const killedAt = new Set(points.map(pointOf))
    const calls = unharmedCases.flatMap(({ path }) => paths[path].calls)
    const wanted = new Set(calls.flatMap((call) => mustHave(call.replace(/\[.*/, ""))))
    expect([...wanted].filter((point) => !killedAt.has(point))).toEqual([])
  })
})

describe("kill -9 at a call", { timeout }, () => {
  it.each(killCases)("makes and loses no money, $name", async (kill) => {
    await run.outcome(kill)
  })

  it("has the PSP pay no withdrawal twice, and make no payout and no charge that is not in the books", async () => {
    const outcomes = await Promise.all([...unharmedCases, ...killCases].map(run.outcome))
    const sumOf = (what: "paid" | "charges") => outcomes.reduce((sum, outcome) => sum + outcome[what], 0)
    expect([...run.psp.payouts.values()].filter((times) => times !== 1)).toEqual([])
    expect(run.psp.payouts.size).toBe(sumOf("paid"))
    expect(new Set(run.psp.requestsOf("PUT /cob/").map(({ path }) => path)).size).toBe(sumOf("charges"))
  })
})
