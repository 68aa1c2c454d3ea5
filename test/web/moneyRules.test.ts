import { describe, expect, it } from "vitest"
import { type LedgerEntry, ledgerKinds } from "../../schema/resources/ledger.ts"
import { exampleWithdrawal, type Withdrawal } from "../../schema/resources/withdrawal.ts"
import {
  actsOf,
  costOf,
  daysOf,
  kindsOf,
  periodOf,
  problemOf,
  stepsOf,
  withdrawableOf,
} from "../../web/src/pages/money/rules.ts"
import { amountWhileTyping, caretAfter, formatAmountInput } from "../../web/src/text/amount.ts"

const exampleEntry: LedgerEntry = {
  ...{ id: "le_01KA0000000700000000000000", object: "ledger_entry", kind: "charge_paid", mode: "test" },
  ...{ resource_type: "transaction", resource_id: "txn_01KA0000000700000000000000", event_id: null },
  ...{ postings: [], created_at: "2026-11-28T12:00:00.000Z" },
  balance: { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
}

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
})

describe("a statement's days", () => {
  const entry = (created_at: string, available: number, amount: number): LedgerEntry => ({
    ...exampleEntry,
    created_at,
    postings: [
      { bucket: "available", amount },
      { bucket: "external", amount: -amount },
    ],
    balance: { ...exampleEntry.balance, available },
  })
  const entries = [
    entry("2026-11-28T13:00:00.000Z", 700, -300),
    entry("2026-11-28T03:00:00.000Z", 1_000, 600),
    entry("2026-11-28T02:59:59.999Z", 400, 400),
  ]

  it("are those of São Paulo, each with what came in, what went out and its final balance", () => {
    expect(daysOf(entries, false)).toEqual([
      {
        day: "2026-11-28",
        entries: entries.slice(0, 2),
        sums: { gained: 600, lost: 300, returned: 0 },
        balance: 700,
      },
      {
        day: "2026-11-27",
        entries: entries.slice(2),
        sums: { gained: 400, lost: 0, returned: 0 },
        balance: 400,
      },
    ])
    expect(daysOf([], false)).toEqual([])
  })

  it("leave out what left and came back on the same day, and count what came back later", () => {
    const of = (kind: LedgerEntry["kind"], resource_id: string, at: string, amount: number) => ({
      ...entry(at, 0, amount),
      ...{ kind, resource_id },
    })
    const [first, next] = ["2026-11-27T13:00:00.000Z", "2026-11-28T13:00:00.000Z"]
    const days = daysOf(
      [
        of("refund_returned", "rfd_1", next, 1_002),
        of("refund_held", "rfd_1", next, -1_002),
        of("withdrawal_returned", "wd_1", next, 10_100),
        of("charge_paid", "txn_1", next, 500),
        of("withdrawal_held", "wd_1", first, -10_100),
        of("refund_held", "rfd_2", first, -300),
      ],
      false,
    )
    expect(days.map(({ sums }) => sums)).toEqual([
      { gained: 10_600, lost: 0, returned: 1_002 },
      { gained: 0, lost: 10_400, returned: 0 },
    ])
  })

  it("have no sums of a day that is not read to its end", () => {
    expect(daysOf(entries, true).map(({ sums }) => sums !== undefined)).toEqual([true, false])
  })

  it("can be of one group of kinds; ends that leave the balance as it was are in none", () => {
    expect(kindsOf("withdrawals")).toBe("withdrawal_held,withdrawal_returned,payout_debited,payout_returned")
    const shown = kindsOf(undefined).split(",")
    expect(ledgerKinds.filter((kind) => !shown.includes(kind))).toEqual([
      "withdrawal_settled",
      "refund_settled",
    ])
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
    expect(formatAmountInput(12_890)).toBe("128,90")
    expect(formatAmountInput(5)).toBe("0,05")
    expect(formatAmountInput(104_700)).toBe("1.047,00")
    expect(formatAmountInput(999_999_999_999)).toBe("9.999.999.999,99")
  })

  it("get their thousands while they are typed, and centavos after a comma or a dot", () => {
    const typed = (keys: string) => [...keys].reduce((text, key) => amountWhileTyping(text + key, false), "")
    expect(["1047", "1047,", "1047,5", "1047,509", "1234567"].map(typed)).toEqual([
      ...["1.047", "1.047,", "1.047,5", "1.047,50", "1.234.567"],
    ])
    expect(["12.9", "12.90", ".5", "007", "0"].map(typed)).toEqual(["12,9", "12,90", "0,5", "7", "0"])
    // What is no amount stays, so that the form can say so.
    expect(typed("dez")).toBe("dez")
    expect(amountWhileTyping("1.04", true)).toBe("104")
    expect(amountWhileTyping("1.", true)).toBe("1")
    expect(amountWhileTyping("", true)).toBe("")
  })

  it("keep the caret before the digits that it stood before", () => {
    expect(caretAfter("1047", 4, "1.047")).toBe(5)
    // A 5 was typed after the 1 of 1.234.
    expect(caretAfter("15.234", 2, "15.234")).toBe(2)
    expect(caretAfter("1534", 2, "1.534")).toBe(3)
    expect(caretAfter("234", 0, "234")).toBe(0)
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
