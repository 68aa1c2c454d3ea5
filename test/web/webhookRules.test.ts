import { describe, expect, it } from "vitest"
import type { Delivery } from "../../schema/resources/delivery.ts"
import { exampleAttempt } from "../../schema/resources/delivery.ts"
import {
  deliveriesOf,
  failedIn,
  familiesOf,
  familyToggled,
  firstFailureAt,
  isResendable,
  narrowed,
  parseHeaders,
  presetEvents,
  presetOf,
  toggled,
} from "../../web/src/pages/webhooks/rules.ts"

const info = (type: string, subscribable = true) => ({ type, subscribable, description: "" })
const catalog = [
  info("transaction.created", false),
  info("transaction.paid"),
  info("withdrawal.failed"),
  info("transaction.expired"),
  info("ping", false),
]

describe("a subscription", () => {
  it("is offered by family, without what cannot be subscribed to", () => {
    expect(familiesOf(catalog).map(({ name, types }) => [name, types.map(({ type }) => type)])).toEqual([
      ["transaction", ["transaction.paid", "transaction.expired"]],
      ["withdrawal", ["withdrawal.failed"]],
    ])
  })

  it("has * or single types, never both", () => {
    expect(toggled(["transaction.paid"], "*", true)).toEqual(["*"])
    expect(toggled(["*"], "transaction.paid", true)).toEqual(["transaction.paid"])
    expect(toggled(["*"], "*", false)).toEqual([])
  })

  it("takes a whole family, each type once", () => {
    const [transactions] = familiesOf(catalog)
    if (transactions === undefined) throw new Error("There is no family.")
    const whole = familyToggled(["withdrawal.failed", "transaction.paid"], transactions, true)
    expect(whole).toEqual(["withdrawal.failed", "transaction.paid", "transaction.expired"])
    expect(familyToggled(whole, transactions, false)).toEqual(["withdrawal.failed"])
  })
})

describe("a named subscription", () => {
  it("has the types of charges, or all that will ever be, and is known again", () => {
    const payments = presetEvents("payments", catalog)
    expect(payments).toEqual(["transaction.paid", "transaction.expired"])
    expect(presetEvents("all", catalog)).toEqual(["*"])
    expect(presetOf(payments.toReversed(), catalog)).toBe("payments")
    expect(presetOf(["*"], catalog)).toBe("all")
    expect(presetOf([...payments, "withdrawal.failed"], catalog)).toBe("choose")
  })
})

describe("the attempts of a list", () => {
  const attempt = (fields: Partial<Delivery>): Delivery => ({ ...exampleAttempt, ...fields })
  const statesOf = (...attempts: ReadonlyArray<Delivery>) => deliveriesOf(attempts).map(({ state }) => state)

  it("are one delivery for an event and a destination, which stands as its newest attempt says", () => {
    const other = { endpoint_id: null, target: "postback" } as const
    const deliveries = deliveriesOf([
      attempt({ attempt: 2, status: "success", error: null, status_code: 200 }),
      attempt({ attempt: 1, ...other }),
      attempt({ attempt: 1 }),
      attempt({ event_id: "evt_other", attempt: 6, status: "dead" }),
    ])
    expect(deliveries.map(({ newest, state }) => [newest.event_id, newest.attempt, state])).toEqual([
      [exampleAttempt.event_id, 2, "received"],
      [exampleAttempt.event_id, 1, "trying"],
      ["evt_other", 6, "failed"],
    ])
  })

  it("have failed for good where nothing is tried again: pings, test events and what was not sent", () => {
    expect(statesOf(attempt({ error: "http_500" }))).toEqual(["trying"])
    for (const error of ["endpoint_disabled", "blocked_destination", "missing_secret"])
      expect(statesOf(attempt({ error }))).toEqual(["failed"])
    expect(statesOf(attempt({ event_type: "ping" }))).toEqual(["failed"])
    expect(statesOf(attempt({ test_event: true }))).toEqual(["failed"])
  })

  it("are sent again with others where a real event failed for good", () => {
    const sent = (fields: Partial<Delivery>) => deliveriesOf([attempt(fields)]).filter(isResendable).length
    expect(sent({ status: "dead" })).toBe(1)
    expect(sent({})).toBe(0)
    expect(sent({ status: "dead", event_type: "ping" })).toBe(0)
    expect(sent({ status: "dead", test_event: true })).toBe(0)
  })

  it("are recovered in a period if they failed for good and any attempt was made in it", () => {
    const at = (minute: number) => `2026-11-30T12:0${minute}:00.000Z`
    const attempts = [
      attempt({ event_id: "late", attempt: 1, status: "dead", created_at: at(5) }),
      attempt({ event_id: "long", attempt: 2, status: "dead", created_at: at(4) }),
      attempt({ event_id: "trying", attempt: 1, created_at: at(3) }),
      attempt({ event_id: "long", attempt: 1, created_at: at(2) }),
      attempt({ event_id: "received", attempt: 1, status: "success", error: null, created_at: at(1) }),
    ]
    expect(firstFailureAt(attempts)).toBe(at(2))
    expect(firstFailureAt(attempts.slice(4))).toBeUndefined()
    const failed = (since: string, until?: string) => failedIn(attempts, { since, until })
    expect([at(1), at(2), at(3), at(5)].map((since) => failed(since))).toEqual([2, 2, 2, 1])
    expect([at(1), at(2), at(4), at(5)].map((until) => failed(at(1), until))).toEqual([0, 1, 1, 2])
  })

  it("are narrowed by how they stand and by the newest answer, or that there was none", () => {
    const all = deliveriesOf([
      attempt({ event_id: "a", status: "dead", status_code: 500 }),
      attempt({ event_id: "b", status: "dead", status_code: null, error: "timeout" }),
      attempt({ event_id: "c", status_code: 500 }),
    ])
    const idsOf = (filters: Parameters<typeof narrowed>[1]) =>
      narrowed(all, filters).map(({ newest }) => newest.event_id)
    expect(idsOf({})).toEqual(["a", "b", "c"])
    expect(idsOf({ state: "failed" })).toEqual(["a", "b"])
    expect(idsOf({ state: "failed", code: "500" })).toEqual(["a"])
    expect(idsOf({ code: "none" })).toEqual(["b"])
  })
})

describe("headers as people type them", () => {
  it("are one a line, and what is none is refused", () => {
    expect(parseHeaders("X-Token: a:b\n\n  X-Two :c ")).toEqual({ "X-Token": "a:b", "X-Two": "c" })
    expect(parseHeaders("")).toEqual({})
    expect(parseHeaders("no header")).toBeUndefined()
    expect(parseHeaders("with space: x")).toBeUndefined()
  })
})
