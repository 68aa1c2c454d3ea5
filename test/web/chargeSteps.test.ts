import { describe, expect, it } from "vitest"
import type { Delivery } from "../../schema/resources/delivery.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import { exampleTransaction, type Transaction } from "../../schema/resources/transaction.ts"
import { chargeSteps, toldOf } from "../../web/src/pages/charges/chargeSteps.ts"

const at = (second: number) => `2026-11-21T12:00:0${second}.000Z`
const returned = (amount: number, second: number) =>
  ({ id: `rfd_${second}`, kind: "refund", amount, return_id: null, created_at: at(second) }) as const
const charge = (changes: Partial<Transaction>): Transaction => ({
  ...exampleTransaction,
  amount: 1_000,
  ...changes,
})
const refund = (changes: Partial<Refund>) => ({ origin: "seller", amount: 300, ...changes }) as Refund
const event = (type: string, second: number) => ({ id: `${type} ${second}`, type, created_at: at(second) })

describe("a charge's timeline", () => {
  it("is told by the charge itself, with its money, also once its events are gone", () => {
    const over = charge({
      created_at: at(0),
      paid_at: at(1),
      status: "refunded",
      refunds: [returned(300, 3), returned(700, 5)],
    })
    const refunds = [refund({ amount: 700, created_at: at(4) }), refund({ created_at: at(2) })]
    expect(
      chargeSteps(over, refunds, []).map(({ type, amount, moves }) =>
        [type, amount, moves ?? "none"].join(" "),
      ),
    ).toEqual([
      "transaction.created 1000 none",
      "transaction.paid 1000 in",
      "refund.created 300 none",
      "transaction.partially_refunded 300 out",
      "refund.created 700 none",
      "transaction.refunded 700 out",
    ])
  })

  it("has each step's own event, and events of other kinds in their place", () => {
    const paid = charge({ created_at: at(0), paid_at: at(1), refunds: [returned(300, 3), returned(300, 5)] })
    const events = [
      event("transaction.partially_refunded", 5),
      event("transaction.exception", 4),
      event("transaction.partially_refunded", 3),
      event("refund.succeeded", 3),
      event("transaction.paid", 1),
    ]
    expect(chargeSteps(paid, [], events).map(({ type, eventId = "none" }) => `${type}: ${eventId}`)).toEqual([
      "transaction.created: none",
      "transaction.paid: transaction.paid 1",
      "transaction.partially_refunded: transaction.partially_refunded 3",
      "transaction.exception: transaction.exception 4",
      "transaction.partially_refunded: transaction.partially_refunded 5",
    ])
  })

  it("a failed refund is shown as one, and one that began at the bank was never asked for", () => {
    const paid = charge({ created_at: at(0), paid_at: at(1) })
    const refunds = [
      refund({ origin: "partner", created_at: at(4) }),
      refund({ status: "failed", created_at: at(2), completed_at: at(3) }),
    ]
    expect(chargeSteps(paid, refunds, []).map(({ type }) => type)).toEqual([
      ...["transaction.created", "transaction.paid", "refund.created", "refund.failed"],
    ])
  })
})

describe("how an event was told", () => {
  const attempt = (endpoint: string, number: number, status: Delivery["status"]) =>
    ({
      event_id: "evt_1",
      target: "endpoint",
      endpoint_id: endpoint,
      target_host: "shop",
      attempt: number,
      status,
    }) as Delivery

  it("the newest attempt at each destination counts", () => {
    const told = toldOf([
      attempt("c", 2, "dead"),
      attempt("b", 2, "success"),
      attempt("c", 1, "failed"),
      attempt("b", 1, "failed"),
      attempt("a", 1, "success"),
    ])
    expect([told.attempts.length, told.newest.length, told.received]).toEqual([5, 3, 2])
    expect(told.failing.map(({ endpoint_id, attempt }) => `${endpoint_id} ${attempt}`)).toEqual(["c 2"])
  })
})
