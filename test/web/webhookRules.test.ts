import { describe, expect, it } from "vitest"
import { parseHeaders } from "../../web/src/pages/webhooks/headerLines.ts"
import { familiesOf, familyToggled, toggled } from "../../web/src/pages/webhooks/subscriptions.ts"

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

describe("headers as people type them", () => {
  it("are one a line, and what is none is refused", () => {
    expect(parseHeaders("X-Token: a:b\n\n  X-Two :c ")).toEqual({ "X-Token": "a:b", "X-Two": "c" })
    expect(parseHeaders("")).toEqual({})
    expect(parseHeaders("no header")).toBeUndefined()
    expect(parseHeaders("with space: x")).toBeUndefined()
  })
})
