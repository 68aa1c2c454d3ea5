import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PayoutReport } from "../../../actors/ports/acquirer.ts"
import { decideAct, simulatedDecision } from "../../../actors/seller/decisions/withdrawalActs.ts"
import {
  decideApproved,
  decidePayoutReport,
  decideProcessing,
  decideTransition,
  pollDelayMillis,
} from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import { limits } from "../../../schema/limits.ts"
import {
  isWithdrawalOver,
  type Withdrawal,
  type WithdrawalStatus,
  withdrawalStatuses,
} from "../../../schema/resources/withdrawal.ts"
import { atMillis, nowMillis, nowText } from "../support/charges.ts"
import { storedWithdrawal, withdrawalId, withdrawalOf } from "../support/withdrawals.ts"

/** See docs/contract/withdrawals.md#states. */
const table: ReadonlyArray<readonly [WithdrawalStatus, WithdrawalStatus]> = [
  ["awaiting", "approved"],
  ["awaiting", "rejected"],
  ["awaiting", "cancelled"],
  ["approved", "processing"],
  ["processing", "successful"],
  ["processing", "failed"],
]
const isInTable = (from: WithdrawalStatus, to: WithdrawalStatus) =>
  table.some(([source, target]) => source === from && target === to)
const pairs = withdrawalStatuses.flatMap((from) => withdrawalStatuses.map((to) => [from, to] as const))

const time = atMillis(nowMillis)

/** The field that gets the time of a transition to that status, besides `updated_at`. */
const momentOf = (to: WithdrawalStatus): keyof Withdrawal => {
  if (to === "approved") return "approved_at"
  return to === "processing" ? "processing_at" : "completed_at"
}

describe("the transitions of a withdrawal", () => {
  it.each(pairs)(
    "a withdrawal's transition from %s to %s is decided exactly if the contract's table has it",
    (from, to) => {
      const commit = decideTransition(storedWithdrawal(from), to, {}, time)

      expect(commit === undefined).toBe(!isInTable(from, to))
      if (commit === undefined) return
      expect(commit).toMatchObject({ to, eventType: `withdrawal.${to}`, timers: [] })
      // Every timer of the state before ends.
      expect([...commit.timersDone].sort()).toEqual(["decide", "pay", "poll"])
      expect(withdrawalOf(commit)).toEqual({
        ...JSON.parse(storedWithdrawal(from).document),
        status: to,
        updated_at: nowText,
        [momentOf(to)]: nowText,
      })
    },
  )

  it("a withdrawal's money is held until it is settled if paid, or returned if not", () => {
    for (const [from, to] of table) {
      const commit = decideTransition(storedWithdrawal(from), to, {}, time)
      const isBack = to === "rejected" || to === "cancelled" || to === "failed"
      const kind = isBack ? "withdrawal_returned" : to === "successful" ? "withdrawal_settled" : undefined

      expect(commit?.movement?.kind).toBe(kind)
      expect(commit?.movement !== undefined).toBe(isWithdrawalOver(to))
      expect(commit?.dayValueBack).toBe(isBack ? 1_000 : 0)
    }
  })

  it("a withdrawal's transition keeps the order of fields and what earlier ones have written", () => {
    const before = storedWithdrawal("processing", { approved_at: nowText, failure_reason: null })
    const commit = decideTransition(before, "successful", { endToEndId: "E1" }, time)

    expect(Object.keys(withdrawalOf(commit))).toEqual(Object.keys(JSON.parse(before.document)))
    expect(withdrawalOf(commit)).toMatchObject({ approved_at: nowText, end_to_end_id: "E1" })
  })

  it("an approved withdrawal has a timer to pay at once, a processing one for its first poll", () => {
    const ahead = { nowMillis, offsetMillis: 5_000 }
    const timer = (name: string, dueMillis: number) => ({ name, resourceId: withdrawalId, dueMillis })

    expect(decideApproved(storedWithdrawal("awaiting"), time)?.timers).toEqual([timer("pay", nowMillis)])
    expect(decideProcessing(storedWithdrawal("approved"), 2_000, time)?.timers).toEqual([
      timer("poll", nowMillis + 2_000),
    ])
    expect(decideProcessing(storedWithdrawal("approved"), 2_000, ahead)?.timers).toEqual([
      timer("poll", nowMillis + 2_000 - 5_000),
    ])
  })
})

describe("an act on a withdrawal", () => {
  const acts = {
    approve: ["awaiting", "approved"],
    reject: ["awaiting", "rejected"],
    cancel: ["awaiting", "cancelled"],
    succeed: ["processing", "successful"],
    fail: ["processing", "failed"],
  } as const

  it("an act on a withdrawal is decided only in the one state that it fits", () => {
    for (const act of ["approve", "reject", "cancel", "succeed", "fail"] as const) {
      for (const from of withdrawalStatuses) {
        const commit = decideAct(storedWithdrawal(from), act, "a reason", time)
        expect(commit?.to).toBe(from === acts[act][0] ? acts[act][1] : undefined)
      }
    }
  })

  it("reject and fail give a withdrawal their reason, succeed an end_to_end_id, cancel neither", () => {
    const decided = (act: keyof typeof acts, reason?: string) =>
      withdrawalOf(decideAct(storedWithdrawal(acts[act][0]), act, reason, time))

    expect(decided("reject", "unknown receiver").failure_reason).toBe("unknown receiver")
    expect(decided("reject").failure_reason).toBeNull()
    expect(decided("cancel", "whatever").failure_reason).toBeNull()
    expect(decided("fail").failure_reason).not.toBeNull()
    expect(decided("fail", "AC03").failure_reason).toBe("AC03")
    expect(decided("succeed").end_to_end_id).toMatch(/^E\d{20}[0-9A-Z]{11}$/)
  })

  it("the simulated operator rejects amounts that end in 03 and approves all others", () => {
    fc.assert(
      fc.property(fc.integer({ min: limits.amountMin, max: limits.amountMax }), (amount) => {
        expect(simulatedDecision(amount)).toBe(amount % 100 === 3 ? "reject" : "approve")
      }),
    )
    expect([103, 3, 10_003].map(simulatedDecision)).toEqual(["reject", "reject", "reject"])
  })
})

describe("an acquirer's report on a payout", () => {
  const paid: PayoutReport = { status: "paid", endToEndId: "E1" }
  const notPaid: PayoutReport = { status: "notPaid", reason: "AC03" }

  it("a payout report of paid or notPaid ends a withdrawal, but only while it is processing", () => {
    for (const from of withdrawalStatuses) {
      const isOpen = from === "processing"
      const successful = decidePayoutReport(storedWithdrawal(from), paid, time)
      const failed = decidePayoutReport(storedWithdrawal(from), notPaid, time)

      expect(successful?.to).toBe(isOpen ? "successful" : undefined)
      expect(failed?.to).toBe(isOpen ? "failed" : undefined)
      if (!isOpen) continue
      expect(withdrawalOf(successful)).toMatchObject({ end_to_end_id: "E1", failure_reason: null })
      expect(withdrawalOf(failed)).toMatchObject({ end_to_end_id: null, failure_reason: "AC03" })
    }
  })

  it("a payout report of processing or unknown does not change a withdrawal", () => {
    for (const from of withdrawalStatuses) {
      const processing = { status: "processing", askAfterMillis: 1 } as const
      expect(decidePayoutReport(storedWithdrawal(from), processing, time)).toBeUndefined()
      expect(decidePayoutReport(storedWithdrawal(from), { status: "unknown" }, time)).toBeUndefined()
    }
  })
})

describe("the polls of a payout", () => {
  it("a payout is polled after 2 s, then at intervals that double to a minute", () => {
    let atSeconds = 2
    const polls = [atSeconds]
    while (polls.length < 8) {
      atSeconds += pollDelayMillis(nowMillis, nowMillis + atSeconds * 1_000) / 1_000
      polls.push(atSeconds)
    }

    expect(polls).toEqual([2, 6, 14, 30, 62, 122, 182, 242])
  })

  it("a payout's poll comes after 2 s at least and a minute at most, whatever the clocks say", () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 10), max: 10 ** 10 }), (sinceMillis) => {
        const delayMillis = pollDelayMillis(nowMillis, nowMillis + sinceMillis)

        expect(delayMillis).toBeGreaterThanOrEqual(2_000)
        expect(delayMillis).toBeLessThanOrEqual(60_000)
      }),
    )
  })
})
