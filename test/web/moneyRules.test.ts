import { describe, expect, it } from "vitest"
import { exampleWithdrawal, type Withdrawal } from "../../schema/resources/withdrawal.ts"
import { costOf, typedAmount, withdrawableOf } from "../../web/src/pages/money/amounts.ts"
import { periodOf, problemOf, statementFile } from "../../web/src/pages/money/period.ts"
import { actsOf, stepsOf } from "../../web/src/pages/money/withdrawalActs.ts"

const withdrawal = (changes: Partial<Withdrawal>): Withdrawal => ({ ...exampleWithdrawal, ...changes })

describe("a period", () => {
  it("is this month up to today, unless the address says otherwise", () => {
    expect(periodOf(new URLSearchParams(), "2026-11-23")).toEqual({ from: "2026-11-01", to: "2026-11-23" })
    expect(periodOf(new URLSearchParams("from=2026-01-05"), "2026-11-23")).toEqual({
      from: "2026-01-05",
      to: "2026-11-23",
    })
  })

  it("has two days that exist, in order, and 366 days at most", () => {
    expect(problemOf({ from: "2026-11-23", to: "2026-11-23" })).toBeUndefined()
    expect(problemOf({ from: "2026-02-29", to: "2026-03-01" })).toBe("noDay")
    expect(problemOf({ from: "", to: "2026-03-01" })).toBe("noDay")
    expect(problemOf({ from: "2026-11-24", to: "2026-11-23" })).toBe("reversed")
    expect(problemOf({ from: "2025-11-23", to: "2026-11-23" })).toBeUndefined()
    expect(problemOf({ from: "2025-11-22", to: "2026-11-23" })).toBe("tooLong")
  })

  it("names the statement's file", () => {
    expect(statementFile("test", { from: "2026-11-01", to: "2026-11-23" }, "csv")).toBe(
      "corrente-test-2026-11-01-2026-11-23.csv",
    )
  })
})

describe("a withdrawal's amounts", () => {
  it("take the fee on top", () => {
    expect(costOf(10_000, 100, 12_990)).toEqual({ total: 10_100, left: 2_890 })
    expect(costOf(12_990, 100, 12_990).left).toBe(-100)
  })

  it("leave room for the fee in the most that can be withdrawn", () => {
    expect(withdrawableOf(12_990, 100)).toBe(12_890)
    expect(withdrawableOf(100, 100)).toBe(0)
    expect(withdrawableOf(-5_000, 100)).toBe(0)
  })

  it("are typed with a comma and two digits", () => {
    expect(typedAmount(12_890)).toBe("128,90")
    expect(typedAmount(5)).toBe("0,05")
  })
})

describe("a withdrawal's timeline", () => {
  it("shows what is to come while it is under way", () => {
    expect(stepsOf(withdrawal({})).map(({ name, at }) => [name, at !== null])).toEqual([
      ["awaiting", true],
      ["approved", false],
      ["processing", false],
      ["successful", false],
    ])
  })

  it("shows only what happened once it is over", () => {
    const at = "2026-11-21T12:00:05.000Z"
    expect(stepsOf(withdrawal({ status: "rejected", completed_at: at })).map(({ name }) => name)).toEqual([
      "awaiting",
      "rejected",
    ])
    const over = { approved_at: at, processing_at: at, completed_at: at, returned_at: at }
    expect(stepsOf(withdrawal({ status: "successful", ...over })).map(({ name }) => name)).toEqual([
      "awaiting",
      "approved",
      "processing",
      "successful",
      "returned",
    ])
  })

  it("offers in test mode what the state allows", () => {
    expect(actsOf("awaiting")).toEqual(["approve", "reject"])
    expect(actsOf("approved")).toEqual(["succeed", "fail"])
    expect(actsOf("processing")).toEqual(["succeed", "fail"])
    expect(actsOf("successful")).toEqual([])
  })
})
