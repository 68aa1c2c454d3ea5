import { describe, expect, it } from "vitest"
import type { OperatorWithdrawal } from "../../schema/api/operatorWithdrawals.ts"
import { limits } from "../../schema/limits.ts"
import { type Exception, exampleException } from "../../schema/resources/exception.ts"
import { defaultSellerSettings, sellerStatuses } from "../../schema/resources/seller.ts"
import { exampleWithdrawal } from "../../schema/resources/withdrawal.ts"
import { addsUp, bookRows } from "../../web/src/pages/admin/books.ts"
import { sidesOf } from "../../web/src/pages/admin/exceptionSides.ts"
import { ageDays, historyOf, makeQueue } from "../../web/src/pages/admin/history.ts"
import { freezeOf } from "../../web/src/pages/admin/readiness.ts"
import { makeRefresher, refreshWaitMillis } from "../../web/src/pages/admin/refreshing.ts"
import { askedBy, isSecondOperatorNeeded } from "../../web/src/pages/admin/secondOperator.ts"
import {
  numberSettings,
  parsePercent,
  settingInput,
  settingsChange,
} from "../../web/src/pages/admin/settingsForm.ts"

const nothing = { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0, external: 0, fees: 0 }

describe("what operators' pages read again", () => {
  /** A time that goes on when the test says so. */
  const makeClock = () => {
    const state = {
      isAttended: true,
      waits: [] as Array<{ readonly millis: number; readonly run: () => void }>,
    }
    const clock = {
      isAttended: () => state.isAttended,
      after: (millis: number, run: () => void) => {
        const wait = { millis, run }
        state.waits.push(wait)
        return () => {
          state.waits = state.waits.filter((other) => other !== wait)
        }
      },
    }
    const pass = async () => {
      const [wait] = state.waits.splice(0, 1)
      wait?.run()
      await Promise.resolve()
      await Promise.resolve()
    }
    return { state, clock, pass }
  }

  it("waits twice as long after each failure, a minute at most, and as at first after a success", async () => {
    expect([0, 1, 2, 3, 4, 40].map(refreshWaitMillis)).toEqual([
      5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
    ])
    const { state, clock, pass } = makeClock()
    const results = [false, false, true]
    makeRefresher(async () => results.shift() ?? true, clock)
    const waits = []
    for (let i = 0; i < 4; i++) {
      waits.push(state.waits[0]?.millis)
      await pass()
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 5_000])
  })

  it("reads nothing while hidden, at once when shown again, and never twice at a time", async () => {
    const { state, clock, pass } = makeClock()
    let readings = 0
    let end = (_isOk: boolean) => {}
    const refresher = makeRefresher(() => {
      readings += 1
      return new Promise((resolve) => {
        end = resolve
      })
    }, clock)
    state.isAttended = false
    refresher.attentionChanged()
    expect([readings, state.waits]).toEqual([0, []])
    state.isAttended = true
    refresher.attentionChanged()
    refresher.attentionChanged()
    expect([readings, state.waits]).toEqual([1, []])
    end(true)
    await expect.poll(() => state.waits.length).toBe(1)
    await pass()
    expect(readings).toBe(2)
    refresher.stop()
    end(true)
    await Promise.resolve()
    await Promise.resolve()
    expect(state.waits).toEqual([])
  })

  it("reads of a page go two at a time, all of them, also where some fail", async () => {
    const inOrder = makeQueue(2)
    let running = 0
    let most = 0
    const done = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((i) =>
        inOrder(async () => {
          running += 1
          most = Math.max(most, running)
          await Promise.resolve()
          running -= 1
          if (i === 2) throw new Error("refused")
          return i
        }),
      ),
    )
    expect(most).toBe(2)
    expect(done.map(({ status }) => status)).toEqual([
      ...["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"],
    ])
  })
})

describe("what operators' pages say", () => {
  it("an exception's details are ours or the acquirer's; without anything of ours, all are the acquirer's", () => {
    const about = (changes: Partial<Exception>): Exception => ({ ...exampleException, ...changes })
    const details = { status: "failed", status_there: "paid", amount_there: 500, end_to_end_id: null }
    const ofOurs = about({ resource_type: "withdrawal", resource_id: "wd_1", amount: 700, details })
    expect(sidesOf(ofOurs)).toEqual({
      ours: [["status", { kind: "text", value: "failed" }]],
      theirs: [
        ["amount", { kind: "amount", value: 700 }],
        ["status_there", { kind: "text", value: "paid" }],
        ["amount_there", { kind: "amount", value: 500 }],
      ],
    })
    const ofNobody = about({
      resource_type: null,
      amount: 7,
      details: { status: "paid", refund_failure: "x" },
    })
    expect(sidesOf(ofNobody)).toEqual({
      ours: [],
      theirs: [
        ["amount", { kind: "amount", value: 7 }],
        ["status_there", { kind: "text", value: "paid" }],
      ],
    })
  })

  it("a second operator is needed after one's own call, and enough after another's", () => {
    const entry = (operator_id: string, resource_id = "wd_1", action = "asked") => ({
      action,
      resource_id,
      operator_id,
    })
    expect(askedBy("asked", "wd_1", [], "me")).toBeUndefined()
    expect(askedBy("asked", "wd_1", [entry("me"), entry("you", "wd_2")], "me")).toBe("you")
    expect(askedBy("asked", "wd_1", [entry("me"), entry("you")], "me")).toBe("other")
    expect(askedBy("asked", "wd_1", [entry("you", "wd_1", "done")], "me")).toBeUndefined()
    expect(isSecondOperatorNeeded({ status: "awaiting_second_operator" })).toBe(true)
    expect([isSecondOperatorNeeded({ status: "approved" }), isSecondOperatorNeeded(undefined)]).toEqual([
      false,
      false,
    ])
  })

  it("payouts are frozen by exceptions first, else by books that are not compared yet", () => {
    expect(freezeOf({ is_frozen: false }, 0)).toBeUndefined()
    expect(freezeOf(undefined, 0)).toBeUndefined()
    expect(freezeOf({ is_frozen: true }, 0)).toBe("books")
    expect(freezeOf({ is_frozen: true }, 1)).toBe("exceptions")
  })

  it("a seller's history leaves out the withdrawal itself, and sums up what was paid", () => {
    const withdrawal = (id: string, changes: Partial<OperatorWithdrawal> = {}): OperatorWithdrawal => ({
      ...exampleWithdrawal,
      ...{ id, seller_id: "sel_1", seller_name: "Loja", seller_status: sellerStatuses[0] },
      payout_locked_until: null,
      available: 15_000,
      ...changes,
    })
    const asked = withdrawal("wd_5", { pix_key_id: "pk_new" })
    const data = [
      asked,
      withdrawal("wd_4", { status: "successful", amount: 300 }),
      withdrawal("wd_3", { status: "failed" }),
      withdrawal("wd_2", { status: "successful", amount: 200, returned_at: "2026-11-21T12:00:00.000Z" }),
      withdrawal("wd_1", { status: "rejected" }),
    ]
    const history = historyOf(asked, { data, next_cursor: null })
    expect(history).toMatchObject({
      ...{ count: 4, successful: 2, successfulAmount: 500, largest: 300 },
      ...{ failed: 1, rejected: 1, returned: 1, isCut: false, paidThisKey: false },
    })
    expect(history.newest.map(({ id }) => id)).toEqual(["wd_4", "wd_3", "wd_2"])
    const known = { id: "wd_5", pix_key_id: exampleWithdrawal.pix_key_id }
    expect(historyOf(known, { data, next_cursor: "more" })).toMatchObject({ isCut: true, paidThisKey: true })
    expect(historyOf(asked, { data: [asked], next_cursor: null })).toMatchObject({ count: 0, largest: 0 })
  })

  it("ages are whole days, and never negative", () => {
    const at = "2026-11-21T12:00:00.000Z"
    const ageAfter = (millis: number) => ageDays(at, Date.parse(at) + millis)
    expect([ageAfter(86_399_999), ageAfter(86_400_000), ageAfter(-5)]).toEqual([0, 1, 0])
  })

  it("books add up where movements make the closing and every row sums to zero", () => {
    const paid = { ...nothing, available: 90, fees: 10, external: -100 }
    const books = { opening: nothing, movements: { charge_paid: paid }, closing: paid }
    expect(addsUp(books)).toBe(true)
    expect(bookRows(books).map(({ name, sum }) => [name, sum])).toEqual([
      ["opening", 0],
      ["charge_paid", 0],
      ["closing", 0],
    ])
    expect(addsUp({ ...books, closing: { ...paid, available: 91, external: -101 } })).toBe(false)
    const crooked = { ...nothing, available: 1 }
    expect(addsUp({ opening: crooked, movements: {}, closing: crooked })).toBe(false)
  })
})

describe("a seller's settings as operators type them", () => {
  const current = defaultSellerSettings
  const typed = (changes: Readonly<Record<string, string>> = {}) => {
    const shown = numberSettings.map(({ name, kind }) => [name, settingInput(kind, current[name])])
    const fields: Readonly<Record<string, string>> = { ...Object.fromEntries(shown), ...changes }
    return (name: string) => fields[name] ?? ""
  }

  it("percentages have up to two decimals", () => {
    expect(["0,99", "0.99", "5", "100%", "12,5 %"].map(parsePercent)).toEqual([99, 99, 500, 10_000, 1_250])
    expect(["", "a", "1,234", "-1", "1,2,3"].map(parsePercent)).toEqual(Array(5).fill(undefined))
  })

  it("only what differs is sent", () => {
    expect(settingsChange(current, typed(), () => false)).toEqual({ kind: "changes", patch: {} })
    const changed = typed({ charge_fee_bps: "0,99", withdrawal_daily_value: "1.234,56", reserve_days: "30" })
    expect(settingsChange(current, changed, () => true)).toEqual({
      kind: "changes",
      patch: {
        ...{ charge_fee_bps: 99, withdrawal_daily_value: 123_456, reserve_days: 30 },
        withdrawal_auto_approval: true,
      },
    })
  })

  it("each setting takes its largest value, and not one more", () => {
    const ranges = { percent: limits.basisPointsMax, money: limits.amountMax }
    for (const { name, kind, max } of numberSettings) {
      if (kind !== "whole") expect([name, max]).toEqual([name, ranges[kind]])
      const largest = settingsChange(current, typed({ [name]: settingInput(kind, max) }), () => false)
      expect(largest, name).toMatchObject({ kind: "changes" })
      const more = settingsChange(current, typed({ [name]: settingInput(kind, max + 1) }), () => false)
      expect(more).toEqual({ kind: "invalid", name })
    }
    const whole = { reserve_days: limits.reserveDaysMax, withdrawal_daily_count: limits.withdrawalsPerDayMax }
    for (const [name, max] of Object.entries(whole))
      expect(numberSettings.find((setting) => setting.name === name)?.max).toBe(max)
    expect(settingsChange(current, typed({ reserve_days: "1,5" }), () => false)).toEqual({
      kind: "invalid",
      name: "reserve_days",
    })
  })
})
