import { describe, expect, it } from "vitest"
import type { Event } from "../../client/src/types.ts"
import { foundObjects, type TransactionStatus, transactionStatuses } from "../../schema/names.ts"
import { exampleTransaction, type Transaction } from "../../schema/resources/transaction.ts"
import { linkOf } from "../../web/src/app/resourceLinks.ts"
import { type ChargeFilters, isShown, readChargeFilters } from "../../web/src/pages/charges/listFilters.ts"
import {
  allowedActs,
  balanceAfterRefund,
  bodyOf,
  type ChargeDraft,
  endingOf,
  isDocument,
  isEventOf,
  leftOf,
  listWith,
  newestFirst,
  problemOf,
} from "../../web/src/pages/charges/rules.ts"
import {
  amountOfEvent,
  conversionOf,
  isChargeback,
  isFailing,
  mergedEvents,
  pageOfEvent,
  stepsOf,
} from "../../web/src/pages/home/figures.ts"
import { unitsOf } from "../../web/src/pages/testMode/time.ts"
import { dayBefore } from "../../web/src/text/today.ts"
import { periodName, periodOf, readPeriod } from "../../web/src/ui/period.ts"
import { sumOf } from "../../web/src/ui/series.ts"
import { wordsIn } from "../../web/src/ui/words.ts"

const draft: ChargeDraft = {
  amount: 1_290,
  name: "Ana Souza",
  email: "ana@example.com",
  document: "529.982.247-25",
  description: "",
  reference: "",
  isShownOnPage: false,
  expiresInSeconds: 86_400,
}

describe("what a charge's page offers", () => {
  it("the acts of test mode are those that the state allows", () => {
    const acts = (status: TransactionStatus) => allowedActs(status, 100).join()
    expect(Object.fromEntries(transactionStatuses.map((status) => [status, acts(status)]))).toEqual({
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

  it("a refund takes of the balance what the charge's reserve does not give, and a debt stays covered", () => {
    const reserve = (amount: number, released_at: string | null = null) => ({
      reserve: { amount, release_at: "2026-12-01T00:00:00.000Z", released_at },
    })
    const balance = { available: 10_000, reserve: 500 }
    expect(balanceAfterRefund(1_000, { reserve: null }, balance)).toBe(9_000)
    expect(balanceAfterRefund(1_000, reserve(300), balance)).toBe(9_300)
    expect(balanceAfterRefund(200, reserve(300), balance)).toBe(10_000)
    expect(balanceAfterRefund(1_000, reserve(300, "2026-12-01T00:00:00.000Z"), balance)).toBe(9_000)
    expect(balanceAfterRefund(100, reserve(300), { available: -400, reserve: 500 })).toBe(-400)
    expect(balanceAfterRefund(101, reserve(300), { available: -400, reserve: 500 })).toBe(-401)
  })

  it("an event replaces a charge's row, adds a new one in its place, and takes away what the filters do not show", () => {
    const charge = (id: string, changes: Partial<Transaction> = {}) =>
      ({ id, status: "pending", created_at: "2026-11-21T12:00:00.000Z", ...changes }) as Transaction
    const [three, one] = [charge("txn_3"), charge("txn_1")]
    const page = { data: [three, one], next_cursor: "more" }
    const rows = (changed: Transaction, filters: ChargeFilters = { status: undefined }, shown = page) =>
      listWith(shown, changed, filters)?.data
    expect(rows(charge("txn_4"))).toEqual([charge("txn_4"), three, one])
    expect(rows(charge("txn_2"))).toEqual([three, charge("txn_2"), one])
    expect(rows(charge("txn_1", { status: "paid" }))).toEqual([three, charge("txn_1", { status: "paid" })])
    // Older than all that is shown: on a later page, or at the end of a list that has none.
    expect(rows(charge("txn_0"))).toEqual([three, one])
    expect(
      rows(charge("txn_0"), { status: undefined }, { data: [three], next_cursor: null as never }),
    ).toEqual([...[three, charge("txn_0")]])
    expect(rows(charge("txn_3", { status: "paid" }), { status: "pending" })).toEqual([one])
    // Midnight in São Paulo is three in the morning, UTC.
    const late = charge("txn_5", { created_at: "2026-11-22T02:59:59.999Z" })
    expect(rows(late, { status: undefined, to: "2026-11-21" })?.length).toBe(3)
    expect(rows(late, { status: undefined, from: "2026-11-22" })).toEqual([three, one])
    const full = { data: Array.from({ length: 500 }, (_, i) => charge(`txn_1${i}`)), next_cursor: "more" }
    expect(listWith(full, charge("txn_4"), { status: undefined })).toBeUndefined()
    expect(listWith(full, charge("txn_10", { status: "paid" }), { status: undefined })?.data.length).toBe(500)
  })

  it("a list shows the charges that its filters name, and finds words as the service does", () => {
    const charge = {
      ...exampleTransaction,
      customer: { name: "João Souza-Lima", email: "joao@example.com", document: "52998224725", phone: null },
      reference: "Pedido-1152",
      amount: 1_000,
    }
    const finds = (q: string) => isShown(charge, { q })
    const found = [
      "joao",
      "JOÃO lima",
      "souza-lima",
      "pedido-1",
      "1152",
      "joao@ex",
      "529.982.247-25",
      charge.id,
    ]
    expect(found.filter((q) => !finds(q))).toEqual([])
    expect(["oao", "52998", "joao maria", "example.com"].filter(finds)).toEqual([])
    expect(["982.247", "***.982.247-**"].filter((q) => !finds(q))).toEqual([])
    const plugged = { ...charge, reference: null, metadata: { order: "Woo-77140" } }
    expect(["woo-77", "77140"].map((q) => isShown(plugged, { q }))).toEqual([true, false])
    expect(isShown(charge, { amount_min: "1000", amount_max: "1000", has_refund: "false" })).toBe(true)
    expect(isShown(charge, { amount_min: "1001" })).toBe(false)
    expect(isShown(charge, { amount_max: "999" })).toBe(false)
    expect(isShown(charge, { has_refund: "true" })).toBe(false)
  })

  it("an address with filters that the service would refuse shows the list without them", () => {
    const read = (text: string) => readChargeFilters(new URLSearchParams(text))
    expect(read("status=paid&amount_min=100&has_refund=true&q=+ana++lima")).toMatchObject({
      ...{ status: "paid", amount_min: "100", has_refund: "true", q: "ana lima" },
    })
    const wrong = Object.values(
      read("status=gone&amount_min=-1&amount_max=x&has_refund=1&from=2026-02-30&q=+"),
    )
    expect(wrong.every((value) => value === undefined)).toBe(true)
    expect(wordsIn("a b c d e f")).toBe("a b c d e")
    expect(wordsIn("x".repeat(201))).toBe("x".repeat(200))
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
    const body = bodyOf(draft, "Cobrança Pix")
    expect(body).toEqual({
      amount: 1_290,
      payment_method: "pix",
      customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
      items: [{ name: "Cobrança Pix", quantity: 1, unit_amount: 1_290 }],
      pix: { expires_in_seconds: 86_400 },
      show_on_page: false,
    })
    const named = bodyOf({ ...draft, description: "Camiseta", reference: "1042" }, "Cobrança Pix")
    expect(named).toMatchObject({
      items: [{ name: "Camiseta" }],
      ...{ reference: "1042", description: "Camiseta", show_on_page: false },
    })
    expect(bodyOf({ ...draft, isShownOnPage: true }, "Cobrança Pix").show_on_page).toBe(true)
  })
})

describe("periods of lists", () => {
  const today = "2026-03-02"

  it("a named period ends today, and its days have that name again", () => {
    expect(periodOf("today", today)).toEqual({ from: today, to: today })
    expect(periodOf("7d", today)).toEqual({ from: "2026-02-24", to: today })
    expect(dayBefore("2024-03-01", 1)).toBe("2024-02-29")
    expect(periodOf("month", today)).toEqual({ from: "2026-03-01", to: today })
    expect(periodOf("lastMonth", today)).toEqual({ from: "2026-02-01", to: "2026-02-28" })
    expect(periodOf("lastMonth", "2026-01-31")).toEqual({ from: "2025-12-01", to: "2025-12-31" })
    const names = ["all", "today", "7d", "30d", "month", "lastMonth"] as const
    expect(names.map((name) => periodName(periodOf(name, today), today))).toEqual(names)
    expect(periodName({ from: "2026-02-02", to: "2026-02-28" }, today)).toBe("custom")
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

  it("the conversion is the share of paid charges of those that ended, unknown while none has", () => {
    expect([conversionOf(4, 3, 0), conversionOf(8, 3, 4), conversionOf(1, 2, 5)]).toEqual([0.75, 0.75, 1])
    expect([conversionOf(0, 0, 0), conversionOf(3, 0, 3)]).toEqual([undefined, undefined])
    expect(sumOf([{ value: 2 }, { value: null }, { value: 3 }].map((point) => ({ at: "", ...point })))).toBe(
      5,
    )
  })

  it("a chargeback is a refund that the payer's bank began, whatever a seller writes as a reason", () => {
    expect(isChargeback({ origin: "partner", reason: "MED_FRAUDE" })).toBe(true)
    expect(isChargeback({ origin: "seller", reason: "MED_FRAUDE" })).toBe(false)
    expect(isChargeback({ origin: "partner", reason: null })).toBe(false)
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

  it("an event tells the amount that moved, and none where a part of a charge went back", () => {
    const charge = { object: "transaction", amount: 123_456, refunded_amount: 3_456 }
    const amountOf = (type: string) => amountOfEvent({ type, data: { object: charge as object } } as Event)
    expect(amountOf("transaction.paid")).toBe(123_456)
    expect(amountOf("transaction.refunded")).toBe(123_456)
    expect(amountOf("transaction.partially_refunded")).toBeUndefined()
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
    const told = { id: "x", status: "paid", amount: null, created_at: "2026-11-21T12:00:00.000Z" }
    expect(foundObjects.map((object) => linkOf({ object, matched: "id", ...told }))).toEqual([
      ...["/charges/x", "/withdrawals/x", "/refunds?id=x", "/events?id=x", "/deliveries/x", "/webhooks/x"],
      "/withdrawals",
    ])
    const ofOperators = ["seller", "transaction", "refund", "withdrawal", "pix_key", "exception"] as const
    const seller = { seller_id: "sel_1", seller_name: null }
    expect(ofOperators.map((object) => linkOf({ object, ...told, ...seller }))).toEqual([
      ...["/admin/sellers/sel_1", "/admin/charges/x", "/admin/charges/x", "/admin/sellers/sel_1"],
      ...["/admin/sellers/sel_1", "/admin/exceptions?id=x"],
    ])
  })
})
