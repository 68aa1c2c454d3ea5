import { assert, describe, it } from "@effect/vitest"
import { Proof } from "../../bench/support/proof.ts"
import type { Side } from "../../bench/support/sides.ts"

const side = { name: "corrente" } as Side
const good = { charges: 5, amountSum: 50, events: 5 }

/** Whether the checks of stored charges and of answers are right, for two jobs and two read-backs. */
const judge = (stored = good, problems: ReadonlyArray<string> = []) => {
  const proof = new Proof(side)
  proof.answered({ answered: 2, created: 2, createdSum: 20, problems })
  proof.answered({ answered: 7, created: 3, createdSum: 30, problems: [] })
  proof.stored({ charges: 0, amountSum: 0, events: 0 })
  proof.stored(stored)
  return proof.checks().map(({ isRight }) => isRight)
}

describe("the proof of a side's work", () => {
  it("the proof is right when all answered charges are stored with their amounts and events, and no others", () => {
    assert.deepStrictEqual(judge(), [true, true])
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

  it("the proof is wrong when an answer was wrong, which it quotes, and when nothing was done", () => {
    assert.deepStrictEqual(judge(good, ["500 oops"]), [true, false])
    const proof = new Proof(side)
    assert.isTrue(proof.checks().every(({ isRight }) => !isRight))
    proof.answered({ answered: 1, created: 0, createdSum: 0, problems: ["500 oops"] })
    assert.include(proof.checks()[1]?.detail ?? "", "500 oops")
  })
})
