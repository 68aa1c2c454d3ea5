import { assert, describe, it } from "@effect/vitest"
import { Proof } from "../../bench/suites/proof.ts"

/** The result of a job that created `created` charges and had `others` answers beside them. */
const result = (
  created: number,
  createdSum: number,
  others: number,
  problems: ReadonlyArray<string> = [],
) => ({
  answered: created + others,
  created,
  createdSum,
  problemCount: problems.length,
  problems,
})

const good = { charges: 5, amountSum: 50, events: 5 }

/** Whether the checks of stored charges and of answers are right, for three jobs and two read-backs of one side. */
const judge = (stored = good, problems: ReadonlyArray<string> = []) => {
  const proof = new Proof(["bare", "corrente"])
  proof.answered("corrente", result(2, 20, 0, problems))
  proof.answered("corrente", result(3, 30, 4))
  proof.answered("corrente", result(0, 0, 7))
  proof.stored("corrente", { charges: 0, amountSum: 0, events: 0 })
  proof.stored("corrente", stored)
  return proof
    .checks()
    .filter(({ name }) => name.startsWith("corrente"))
    .map(({ isRight }) => isRight)
}

describe("Proof", () => {
  it("a run's proof is right when all answered charges are stored with their amounts and events", () => {
    assert.deepStrictEqual(judge(), [true, true])
  })

  it("a run's proof is wrong when stored charges, amounts or events differ from the answered ones", () => {
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

  it("a run's proof is wrong when an answer was wrong, and quotes that answer", () => {
    assert.deepStrictEqual(judge(good, ["500 oops"]), [true, false])
    const proof = new Proof(["bare"])
    proof.answered("bare", result(0, 0, 1, ["500 oops"]))
    assert.include(proof.checks().find(({ name }) => name === "bare, answers")?.detail ?? "", "500 oops")
  })

  it("a run's proof is wrong when no side did any work", () => {
    const checks = new Proof(["corrente", "fastify", "bare"]).checks()
    assert.lengthOf(checks, 6)
    assert.isTrue(checks.every(({ isRight }) => !isRight))
  })

  it("a run's proof judges each side separately and rejects a side that it was not given", () => {
    const proof = new Proof(["corrente", "fastify"])
    proof.answered("corrente", result(5, 50, 0))
    proof.stored("corrente", good)
    const right = proof.checks().map(({ name, isRight }) => [name, isRight])
    assert.deepStrictEqual(right, [
      ["corrente, charges", true],
      ["corrente, answers", true],
      ["fastify, charges", false],
      ["fastify, answers", false],
    ])
    assert.throws(() => proof.stored("bare", good), "bare is not a side of this run")
  })
})
