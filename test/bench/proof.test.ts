import { assert, describe, it } from "@effect/vitest"
import type { LoadResult } from "../../bench/load/job.ts"
import { Proof } from "../../bench/suites/proof.ts"

const result = (answered: number, amountSum: number, problems: ReadonlyArray<string> = []): LoadResult => ({
  answered,
  amountSum,
  charges: [],
  seconds: 1,
  completed: answered,
  latency: [],
  lateness: [],
  cpuMillis: {},
  problemCount: problems.length,
  problems,
})

const good = { charges: 5, amountSum: 50, events: 5 }

/** Whether the checks of charges and of answers are right, for a side whose work is described so. */
const judge = (stored = good, problems: ReadonlyArray<string> = [], read = 7) => {
  const proof = new Proof()
  proof.answered("corrente", "create", result(2, 20, problems))
  proof.answered("corrente", "create", result(3, 30))
  proof.answered("corrente", "read", result(read, 70))
  proof.stored("corrente", { charges: 0, amountSum: 0, events: 0 })
  proof.stored("corrente", stored)
  return proof
    .checks()
    .filter(({ name }) => name.startsWith("corrente"))
    .map(({ isRight }) => isRight)
}

describe("Proof", () => {
  it("is right when all that was answered was read back, with its amounts and events", () => {
    assert.deepStrictEqual(judge(), [true, true])
  })

  it("is wrong when a charge, its amount or its event is missing, or one too many", () => {
    for (const stored of [
      { ...good, charges: 4 },
      { ...good, charges: 6 },
      { ...good, amountSum: 49 },
      { ...good, events: 4 },
      { ...good, events: 6 },
    ]) {
      assert.deepStrictEqual(judge(stored), [false, true], JSON.stringify(stored))
    }
  })

  it("is wrong when an answer was, and says which", () => {
    assert.deepStrictEqual(judge(good, ["500 oops"]), [true, false])
    const proof = new Proof()
    proof.answered("bare", "read", result(1, 1, ["500 oops"]))
    assert.include(proof.checks().find(({ name }) => name === "bare, answers")?.detail ?? "", "500 oops")
  })

  it("is wrong when nothing was done", () => {
    assert.deepStrictEqual(judge(good, [], 0), [true, false])
    assert.isTrue(new Proof().checks().every(({ isRight }) => !isRight))
  })
})
