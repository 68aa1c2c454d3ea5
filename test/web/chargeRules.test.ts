import { describe, expect, it } from "vitest"
import type { Event } from "../../client/src/types.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { linkOf } from "../../web/src/app/searchHits.ts"
import {
  allowedActs,
  bodyOf,
  type ChargeDraft,
  chargeStatuses,
  endingOf,
  isDocument,
  isEventOf,
  leftOf,
  newestFirst,
  problemOf,
} from "../../web/src/pages/charges/rules.ts"
import {
  conversionOf,
  isFailing,
  mergedEvents,
  pageOfEvent,
  stepsOf,
  sumOf,
} from "../../web/src/pages/home/figures.ts"
import { unitsOf } from "../../web/src/pages/testMode/time.ts"
import { dayBefore, periodName, periodOf, readPeriod } from "../../web/src/ui/period.ts"

const draft: ChargeDraft = {
  amount: 1_290,
  name: "Ana Souza",
  email: "ana@example.com",
  document: "529.982.247-25",
  description: "",
  reference: "",
  expiresInSeconds: 86_400,
}

describe("what a charge's page offers", () => {
  it("the acts of test mode are those that the state allows", () => {
    const acts = (status: TransactionStatus) => allowedActs(status, 100).join()
    expect(Object.fromEntries(chargeStatuses.map((status) => [status, acts(status)]))).toEqual({
      pending: "pay,expire,fail",
      paid: "refund,chargeback",
      expired: "pay",
      failed: "",
      refunded: "",
      chargeback: "",
    })
    expect(allowedActs("paid", 0)).toEqual([])
    expect(allowedActs("pending", 0)).toContain("pay")
  })

  it("refunds under way count as gone, failed ones do not, and those that succeeded count once", () => {
    const charge = { amount: 1_000, refunded_amount: 300 }
    expect(leftOf(charge, [{ status: "succeeded", amount: 300 }])).toBe(700)
    expect(leftOf(charge, [{ status: "pending", amount: 200 }])).toBe(500)
    expect(leftOf(charge, [{ status: "processing", amount: 700 }])).toBe(0)
    expect(leftOf(charge, [{ status: "failed", amount: 700 }])).toBe(700)
    // The refund was read after it had succeeded, the charge before.
    expect(leftOf({ amount: 100, refunded_amount: 100 }, [{ status: "pending", amount: 100 }])).toBe(0)
  })

  it("the last two digits of a test amount say what will happen", () => {
    expect([1_001, 2, 303, 4, 99_905, 6, 100, 110].map(endingOf)).toEqual([
      ...["never_paid", "fails", "refused", "refunded", "charged_back", "paid", "paid", "paid"],
    ])
  })

  it("events of the charge and of its refunds are its own, others are not", () => {
    const isOwn = isEventOf("txn_1")
    const event = (object: object) => ({ data: { object } }) as unknown as Event
    expect(isOwn(event({ id: "txn_1" }))).toBe(true)
    expect(isOwn(event({ id: "rfd_1", transaction_id: "txn_1" }))).toBe(true)
    expect(isOwn(event({ id: "txn_2" }))).toBe(false)
  })

  it("several lists become one, newest first and each once", () => {
    const one = { id: "a", created_at: "2026-11-23T10:00:00.000Z" }
    const two = { id: "b", created_at: "2026-11-23T10:00:00.000Z" }
    const three = { id: "0", created_at: "2026-11-23T11:00:00.000Z" }
    expect(newestFirst([one, two, one, three]).map(({ id }) => id)).toEqual(["0", "b", "a"])
  })
})

describe("the form of a new charge", () => {
  it("each field is refused for itself, at its limits", () => {
    expect(problemOf(draft)).toBeUndefined()
    for (const amount of [undefined, 0, 1_000_000_000_000]) {
      expect(problemOf({ ...draft, amount })).toBe("amount")
    }
    for (const amount of [1, 999_999_999_999]) expect(problemOf({ ...draft, amount })).toBeUndefined()
    expect(problemOf({ ...draft, name: "A" })).toBe("name")
    expect(problemOf({ ...draft, name: "Zé" })).toBeUndefined()
    for (const email of ["ana", "ana@example", "a b@example.com"]) {
      expect(problemOf({ ...draft, email })).toBe("email")
    }
    expect(problemOf({ ...draft, document: "123" })).toBe("document")
  })

  it("a document is a CPF or a CNPJ, also one with letters, with and without punctuation", () => {
    const good = ["52998224725", "529.982.247-25", "12.345.678/0001-95", "12abc34501de35"]
    expect(good.filter((text) => !isDocument(text))).toEqual([])
    const bad = ["5299822472", "529982247251", "12abc34501deAB", ""]
    expect(bad.filter(isDocument)).toEqual([])
  })

  it("the body has one item of the whole amount, and a reference only where one was given", () => {
    const body = bodyOf(draft, "Cobrança PIX")
    expect(body).toEqual({
      amount: 1_290,
      payment_method: "pix",
      customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
      items: [{ name: "Cobrança PIX", quantity: 1, unit_amount: 1_290 }],
      pix: { expires_in_seconds: 86_400 },
    })
    const named = bodyOf({ ...draft, description: "Camiseta", reference: "1042" }, "Cobrança PIX")
    expect(named).toMatchObject({ items: [{ name: "Camiseta" }], metadata: { reference: "1042" } })
  })
})

describe("periods of lists", () => {
  const today = "2026-03-02"

  it("a named period ends today, and its days have that name again", () => {
    expect(periodOf("today", today)).toEqual({ from: today, to: today })
    expect(periodOf("7d", today)).toEqual({ from: "2026-02-24", to: today })
    expect(dayBefore("2024-03-01", 1)).toBe("2024-02-29")
    const names = ["all", "today", "7d", "30d"] as const
    expect(names.map((name) => periodName(periodOf(name, today), today))).toEqual(names)
    expect(periodName({ from: "2026-02-01", to: "2026-02-28" }, today)).toBe("custom")
    expect(periodName({ from: "2026-02-24" }, today)).toBe("custom")
  })

  it("what is no day in the address is left out", () => {
    const read = (text: string) => readPeriod(new URLSearchParams(text))
    expect(read("from=2026-02-01&to=2026-02-28")).toEqual({ from: "2026-02-01", to: "2026-02-28" })
    expect(read("from=yesterday&to=2026-13-01")).toEqual({ from: undefined, to: undefined })
    expect(read("from=2026-02-30&to=2026-02-29")).toEqual({ from: undefined, to: undefined })
    expect(read("from=2024-02-29&to=2026-04-31")).toEqual({ from: "2024-02-29", to: undefined })
  })
})

describe("the home page", () => {
  const event = (seq: number) => ({ id: `evt_${seq}`, seq }) as Event

  it("newer events come first, each once, up to the limit", () => {
    const merged = mergedEvents([event(4), event(3)], [event(3), event(2), event(1)], 3)
    expect(merged.map(({ seq }) => seq)).toEqual([4, 3, 2])
  })

  it("an event leads to what it is about", () => {
    const of = (type: string, object: object) => ({ id: "evt_1", type, data: { object } }) as Event
    expect(pageOfEvent(of("transaction.paid", { id: "txn_1" }))).toBe("/charges/txn_1")
    expect(pageOfEvent(of("refund.created", { transaction_id: "txn_1" }))).toBe("/charges/txn_1")
    expect(pageOfEvent(of("withdrawal.failed", { id: "wd_1" }))).toBe("/withdrawals/wd_1")
    expect(pageOfEvent(of("seller.updated", { id: "sel_1" }))).toBe("/events?id=evt_1")
  })

  it("the conversion is the share of paid charges, unknown while there are none", () => {
    expect([conversionOf(4, 3), conversionOf(0, 0), conversionOf(1, 2)]).toEqual([0.75, undefined, 1])
    expect(sumOf([{ value: 2 }, { value: null }, { value: 3 }].map((point) => ({ at: "", ...point })))).toBe(
      5,
    )
  })

  it("the first steps go once all are done, and live begins with going live", () => {
    const none = { hasCharge: false, hasEndpoint: false, hasKey: false, isApproved: false }
    expect(stepsOf("test", none).map(({ name }) => name)).toEqual(["charge", "webhook", "key", "live"])
    expect(stepsOf("live", none)[0]).toEqual({ name: "live", isDone: false })
    const all = { hasCharge: true, hasEndpoint: true, hasKey: true, isApproved: true }
    expect(stepsOf("test", all)).toEqual([])
    expect(stepsOf("test", { ...all, hasKey: false }).filter(({ isDone }) => !isDone)).toHaveLength(1)
  })

  it("an endpoint fails below 95 % or when it was disabled for failures, not when its seller did that", () => {
    const health = (changes: object) =>
      isFailing({ isEnabled: true, isAutoDisabled: false, successRate: 1, ...changes })
    expect([1, 0.95, null].map((successRate) => health({ successRate }))).toEqual([false, false, false])
    expect(health({ successRate: 0.949 })).toBe(true)
    expect(health({ isEnabled: false, successRate: 0 })).toBe(false)
    expect(health({ isEnabled: false, isAutoDisabled: true })).toBe(true)
  })

  it("the test clock's lead is told in its two largest units", () => {
    expect(unitsOf(0)).toEqual([])
    expect(unitsOf(59)).toEqual([{ unit: "second", count: 59 }])
    expect(unitsOf(90_061)).toEqual([
      { unit: "day", count: 1 },
      { unit: "hour", count: 1 },
    ])
    expect(unitsOf(86_460)).toEqual([{ unit: "day", count: 1 }])
  })

  it("each kind of search result leads to its page", () => {
    const to = (object: string) =>
      linkOf({ object, id: "x", matched: "id", status: null, amount: null, created_at: null })
    const kinds = ["transaction", "withdrawal", "refund", "event", "webhook_delivery", "webhook_endpoint"]
    expect([...kinds, "pix_key"].map(to)).toEqual([
      ...["/charges/x", "/withdrawals/x", "/refunds?id=x", "/events?id=x", "/deliveries/x", "/webhooks/x"],
      "/withdrawals",
    ])
  })
})
