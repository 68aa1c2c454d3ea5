import { describe, expect, it } from "vitest"
import { turns } from "../../bench/support/turns.ts"

describe("pairs of the costs suite", () => {
  it("pairs run in turn, every other one in reverse order, and keep their rounds together", async () => {
    const ran: Array<string> = []
    const run = (side: string) => async () => {
      ran.push(side)
      return ran.length
    }
    const rounds = await turns(3, run("with"), run("without"))
    expect(ran).toEqual(["with", "without", "without", "with", "with", "without"])
    expect(rounds).toEqual({ with: [1, 4, 5], without: [2, 3, 6] })
  })
})
