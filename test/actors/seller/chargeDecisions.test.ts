import { ok } from "node:assert"
import { describe, expect, it } from "vitest"
import type { ChargeReport } from "../../../actors/ports/acquirer.ts"
import type { StoredTransaction } from "../../../actors/ports/transactionStore.ts"
import { decideException } from "../../../actors/seller/decisions/chargeExceptions.ts"
import { decideReport } from "../../../actors/seller/decisions/chargeReport.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { decideSimulatedOutcome } from "../../../actors/seller/decisions/simulatedOutcome.ts"
import {
  decidePaid,
  decideReleased,
  decideReturned,
  isAllowed,
  timerNames,
} from "../../../actors/seller/decisions/transactionTransitions.ts"
import { limits } from "../../../schema/limits.ts"
import {
  type Transaction,
  type TransactionStatus,
  transactionStatuses,
} from "../../../schema/resources/transaction.ts"
import { noNews, paidBy } from "../support/acquirer.ts"
import {
  atMillis,
  chargeId,
  chargeOf,
  nowMillis,
  nowText,
  sellerId,
  storedCharge,
} from "../support/charges.ts"

const time = atMillis(nowMillis)
const settings = { ...initialSettings, reserveBps: 0 }
const reserving = { ...initialSettings, reserveBps: 1_000, reserveDays: 30 }
const releaseMillis = nowMillis + 30 * 24 * 60 * 60 * 1_000

describe("the reserve of a charge", () => {
  const paid = storedCharge("paid", {
    end_to_end_id: "E1",
    reserve: { amount: 96, release_at: new Date(releaseMillis).toISOString(), released_at: null },
  })
  const back = (amount: number, stored = paid) =>
    decideReturned(stored, { id: `d${amount}`, amount, kind: "refund" }, time)

  it("a paid charge has a reserve and a timer for its release", () => {
    const commit = decidePaid(storedCharge("pending", { fee: 40, net_amount: 960 }), "E1", reserving, time)

    expect(chargeOf(commit).reserve).toEqual({
      amount: 96,
      release_at: new Date(releaseMillis).toISOString(),
      released_at: null,
    })
    expect(commit?.timers).toEqual([{ name: "release", resourceId: chargeId, dueMillis: releaseMillis }])
  })

  it("a paid charge has no reserve when the settings reserve nothing", () => {
    const commit = decidePaid(storedCharge("pending"), "E1", settings, time)

    expect([chargeOf(commit).reserve, commit?.timers]).toEqual([null, []])
  })

  it("a charge's reserve is released once, without an event", () => {
    const commit = decideReleased(paid, time)

    expect(commit).toMatchObject({ from: "paid", to: "paid", timers: [], timersDone: ["release"] })
    expect(commit?.eventType).toBeUndefined()
    expect(commit?.movement?.postings).toEqual([
      { bucket: "reserve", amount: -96 },
      { bucket: "available", amount: 96 },
    ])
    expect(chargeOf(commit).reserve).toMatchObject({ amount: 96, released_at: nowText })
    expect(decideReleased(storedCharge("paid", chargeOf(commit)), time)).toBeUndefined()
    expect(decideReleased(storedCharge("paid"), time)).toBeUndefined()
  })

  it("a reserve that refunds hold whole is released without money, so that what fails later is available", () => {
    const held = { amount: 0, release_at: nowText, released_at: null }
    const commit = decideReleased(storedCharge("paid", { reserve: held }), time)

    expect(chargeOf(commit).reserve).toEqual({ ...held, released_at: nowText })
    expect(commit).toMatchObject({ movement: undefined, eventType: undefined, timersDone: ["release"] })
  })

  it("a refund takes the reserve first, and the reserve's timer ends with the last of it", () => {
    const part = back(95)
    expect(chargeOf(part)).toMatchObject({ status: "paid", reserve: { amount: 1, released_at: null } })
    expect(part?.timersDone).toEqual([timerNames.ask])
    expect(part?.eventType).toBe("transaction.partially_refunded")
    expect(part?.movement).toMatchObject({
      kind: "charge_partially_refunded",
      postings: [
        { bucket: "reserve", amount: -95 },
        { bucket: "external", amount: 95 },
      ],
    })

    const rest = back(96)
    expect(chargeOf(rest)).toMatchObject({ status: "paid", reserve: { amount: 0, released_at: nowText } })
    expect(rest?.timersDone).toEqual([timerNames.ask, timerNames.release])
    expect(back(97)?.movement?.postings).toEqual([
      { bucket: "reserve", amount: -96 },
      { bucket: "available", amount: -1 },
      { bucket: "external", amount: 97 },
    ])
  })

  it("a released reserve does not change when the charge is refunded", () => {
    const released = storedCharge("paid", chargeOf(decideReleased(paid, time)))
    const commit = back(1_000, released)

    expect(chargeOf(commit)).toMatchObject({
      status: "refunded",
      reserve: { amount: 96, released_at: nowText },
    })
    expect(commit?.movement?.postings).toEqual([
      { bucket: "available", amount: -1_000 },
      { bucket: "external", amount: 1_000 },
    ])
  })
})

describe("a refund or a chargeback", () => {
  const paid = storedCharge("paid", { end_to_end_id: "E1" })
  const back = (stored: StoredTransaction, id: string, amount: number, kind: "refund" | "chargeback") =>
    decideReturned(stored, { id, amount, kind }, time)

  it("a refund counts once by its id and never beyond the charge's amount", () => {
    const once = storedCharge("paid", chargeOf(back(paid, "d1", 400, "refund")))

    expect(back(once, "d1", 400, "refund")).toBeUndefined()
    expect(chargeOf(back(once, "d2", 601, "refund"))).toMatchObject({
      status: "refunded",
      refunded_amount: 1_000,
    })
    expect(back(paid, "d1", 0, "refund")).toBeUndefined()
  })

  it("a charge that is returned whole is a chargeback when any part of it was one", () => {
    for (const kinds of [
      ["refund", "chargeback"],
      ["chargeback", "refund"],
    ] as const) {
      const once = storedCharge("paid", chargeOf(back(paid, "d1", 400, kinds[0])))
      const whole = back(once, "d2", 600, kinds[1])

      expect(whole).toMatchObject({ to: "chargeback", eventType: "transaction.chargeback" })
      expect(chargeOf(whole)).toMatchObject({ chargeback_at: nowText, refunded_at: null })
    }
  })

  it.each([100, 101, 2_000])("refund number %i of a charge moves money and is listed", (number) => {
    const refunds = Array.from({ length: number - 1 }, (_, index) => ({
      id: `d${index}`,
      kind: "refund" as const,
      amount: 1,
      return_id: null,
      created_at: nowText,
    }))
    const amount = 10_000
    const before = storedCharge("paid", { amount, refunds, refunded_amount: refunds.length })
    const commit = back(before, "one more", 1, "refund")

    expect(chargeOf(commit)).toMatchObject({ refunded_amount: number })
    expect(chargeOf(commit).refunds.at(-1)).toMatchObject({ id: commit?.refund?.id, amount: 1 })
    expect(commit?.movement?.postings).toContainEqual({ bucket: "external", amount: 1 })
  })
})

describe("an exception", () => {
  const fact = { kind: "amount_mismatch", end_to_end_id: "E9", amount: 7 } as const
  const listOf = (length: number) =>
    Array.from({ length }, (_, index) => ({ ...fact, end_to_end_id: `E1${index}`, created_at: nowText }))
  const report: ChargeReport = { ...noNews, payments: [{ endToEndId: "E9", amount: 7, refunds: [] }] }
  const judged = (exceptions: Transaction["exceptions"], recorded: ReadonlyArray<string> = []) =>
    decideReport(storedCharge("pending", { exceptions }), report, settings, time, {
      acquirer: "elsewhere",
      recorded: new Set(recorded),
    })

  it("an exception is recorded with an event, without a change of status or money", () => {
    const commit = decideException(storedCharge("pending"), fact, "elsewhere", time)

    expect(commit).toMatchObject({ from: "pending", to: "pending", timers: [], timersDone: [] })
    expect([commit.eventType, commit.movement]).toEqual(["transaction.exception", undefined])
    expect(chargeOf(commit).exceptions).toEqual([{ ...fact, created_at: nowText }])
    ok(commit.exception?.kind === "open")
    const { exception } = commit.exception
    expect(exception).toMatchObject({ fact: "amount_mismatch:E9", kind: "amount_mismatch", sellerId })
    expect(JSON.parse(exception.document)).toMatchObject({
      ...{ id: exception.id, object: "exception", state: "open", acquirer: "elsewhere", amount: 7 },
      ...{ resource_type: "transaction", resource_id: chargeId, seller_id: sellerId, created_at: nowText },
      details: { end_to_end_id: "E9", charge_exception: "amount_mismatch", charge_amount: 1_000 },
    })
  })

  it("an exception that a charge lists is not recorded again", () => {
    expect(judged([])?.exception?.kind).toBe("open")
    expect(judged([{ ...fact, created_at: nowText }])).toBeUndefined()
  })

  it("a payment to a failed charge is a double payment that came late", () => {
    const late = { ...fact, kind: "late_payment" } as const
    const commit = decideException(storedCharge("failed"), late, "elsewhere", time)

    ok(commit.exception?.kind === "open")
    expect(commit.exception.exception).toMatchObject({ fact: "double_payment:E9", kind: "double_payment" })
    expect(JSON.parse(commit.exception.exception.document).details.charge_exception).toBe("late_payment")
  })

  it.each([19, 20])(
    "a charge that lists %i exceptions has the next one recorded, and lists at most 20",
    (length) => {
      const commit = judged(listOf(length))

      expect(commit?.exception?.kind).toBe("open")
      expect(chargeOf(commit).exceptions.length).toBe(limits.chargeExceptionsMax)
    },
  )

  it("an exception that is recorded but not listed is not recorded again", () => {
    expect(judged(listOf(20), ["amount_mismatch:E9"])).toBeUndefined()
    expect(judged(listOf(20), ["double_payment:E9"])).toBeDefined()
  })

  it("a late payment beyond what a charge lists still counts", () => {
    const exceptions = listOf(limits.chargeExceptionsMax)
    const late = decidePaid(storedCharge("expired", { exceptions }), "E99", settings, time)
    expect(chargeOf(late)).toMatchObject({ status: "paid", exceptions, end_to_end_id: "E99" })
  })
})

describe("an acquirer's report", () => {
  const decide = (status: TransactionStatus, report: ChargeReport, changes: Partial<Transaction> = {}) =>
    decideReport(storedCharge(status, changes), report, settings, time, { acquirer: "elsewhere" })
  const paid: ChargeReport = { ...paidBy("E7"), askAfterMillis: 5_000 }
  const backOf = (kind: "refund" | "chargeback") =>
    paidBy("E7", 1_000, [{ id: "d1", amount: 1_000, kind, status: "done" }])

  it("an acquirer's report takes the charge to the status that it names, with its details", () => {
    const commit = decide("pending", paid)

    expect(commit?.to).toBe("paid")
    expect(chargeOf(commit)).toMatchObject({ end_to_end_id: "E7", failure_reason: null })
    expect(commit?.timers).toEqual([{ name: "ask", resourceId: chargeId, dueMillis: nowMillis + 5_000 }])
    const failed = decide("pending", { ...noNews, failure: "no such account" })
    expect(chargeOf(failed)).toMatchObject({ status: "failed", failure_reason: "no such account" })
  })

  it("a report of a late payment makes an expired charge paid", () => {
    expect(decide("expired", paid)).toMatchObject({ from: "expired", to: "paid" })
  })

  it("a report of both a payment and a failure makes the charge paid", () => {
    expect(decide("pending", { ...paid, failure: "removed" })?.to).toBe("paid")
  })

  it("an acquirer's report that is repeated, too late or without news changes nothing", () => {
    const by = { end_to_end_id: "E7" }
    expect(decide("paid", paid, by)).toBeUndefined()
    expect(decide("refunded", paid, by)).toBeUndefined()
    expect(decide("refunded", backOf("chargeback"), by)).toBeUndefined()
    expect(decide("expired", { ...noNews, failure: "late" })).toBeUndefined()
    expect(decide("pending", noNews)).toBeUndefined()
  })

  it("a report of a payment to a failed charge is recorded as an exception", () => {
    const commit = decide("failed", paid)

    expect(commit).toMatchObject({ from: "failed", to: "failed" })
    expect(chargeOf(commit).exceptions).toMatchObject([{ kind: "late_payment", end_to_end_id: "E7" }])
  })

  it("a report of a wrong amount or a second payment is recorded as an exception", () => {
    expect(chargeOf(decide("pending", paidBy("E8", 999))).exceptions).toMatchObject([
      { kind: "amount_mismatch", end_to_end_id: "E8", amount: 999 },
    ])
    expect(chargeOf(decide("paid", paidBy("E8"), { end_to_end_id: "E7" })).exceptions).toMatchObject([
      { kind: "double_payment", end_to_end_id: "E8", amount: 1_000 },
    ])
  })

  it("a reported refund counts only when it is done and of the transfer that paid", () => {
    const under = (status: "processing" | "failed" | "done", endToEndId = "E7") =>
      decide("paid", paidBy(endToEndId, 1_000, [{ id: "d1", amount: 400, kind: "refund", status }]), {
        end_to_end_id: "E7",
        exceptions: [{ kind: "double_payment", end_to_end_id: "E8", amount: 1_000, created_at: nowText }],
      })

    expect(under("processing")).toBeUndefined()
    expect(under("failed")).toBeUndefined()
    expect(under("done", "E8")).toBeUndefined()
    expect(chargeOf(under("done"))).toMatchObject({ status: "paid", refunded_amount: 400 })
  })
})

describe("an outcome forced by the test controls", () => {
  it("a forced outcome of a charge is decided exactly where the contract allows it", () => {
    for (const from of transactionStatuses) {
      for (const to of ["paid", "expired", "failed", "refunded", "chargeback"] as const) {
        const commit = decideSimulatedOutcome(storedCharge(from), to, settings, time)
        expect(commit?.to).toBe(isAllowed(from, to) ? to : undefined)
      }
    }
  })

  it("a forced refund returns what is left of a charge", () => {
    const part = {
      refunds: [{ id: "d1", kind: "refund", amount: 400, return_id: null, created_at: nowText } as const],
    }
    const commit = decideSimulatedOutcome(
      storedCharge("paid", { ...part, refunded_amount: 400 }),
      "refunded",
      settings,
      time,
    )

    expect(chargeOf(commit)).toMatchObject({ status: "refunded", refunded_amount: 1_000 })
    expect(commit?.movement?.postings).toContainEqual({ bucket: "external", amount: 600 })
  })
})
