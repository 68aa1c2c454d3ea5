import { describe, expect, it } from "vitest"
import { exampleInFeed } from "../../schema/eventExamples.ts"
import { paidEvent } from "../../schema/events.ts"
import { exampleTransaction } from "../../schema/resources/transaction.ts"
import { checkDocumented, checkDocumentedEvent } from "../support/documentedAnswers.ts"

const json = "application/json"
const path = `/v1/transactions/${exampleTransaction.id}`
const problemOf = (method: string, target: string, status: number, contentType: string, body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  try {
    checkDocumented(method, target, { status, contentType, text })
    return "fine"
  } catch (error) {
    return String(error)
  }
}
const error = (code: string) => ({
  error: { type: "invalid_request_error", code, message: "No.", request_id: "req_1" },
})

describe("the check of answers against the document", () => {
  it("the check accepts what is documented, and says nothing of routes that are not", () => {
    expect(problemOf("GET", path, 200, json, exampleTransaction)).toBe("fine")
    expect(problemOf("GET", `${path}?x=1`, 404, json, error("resource_not_found"))).toBe("fine")
    expect(problemOf("GET", "/v1/nothing", 404, json, {})).toBe("fine")
    expect(problemOf("PUT", path, 404, json, {})).toBe("fine")
    expect(problemOf("DELETE", "/v1/me/webhook-endpoints/we_1", 204, "", "")).toBe("fine")
  })

  it("the check refuses other statuses, types, fields and codes, and names the operation", () => {
    const { amount: _, ...less } = exampleTransaction
    expect(problemOf("GET", path, 200, json, less)).toMatch(/getTransaction .*amount/)
    expect(problemOf("GET", path, 200, json, { ...exampleTransaction, more: 1 })).toContain("more")
    expect(problemOf("GET", path, 206, json, exampleTransaction)).toContain("has no status 206")
    expect(problemOf("GET", path, 200, "text/plain", "x")).toContain("has no text/plain")
    expect(problemOf("GET", path, 404, json, error("invalid_url"))).toContain("invalid_url is none of")
    expect(problemOf("GET", path, 404, json, { error: {} })).toContain("getTransaction")
  })

  it("the check reads the header of CSV and the keys of JSON lines", () => {
    const csv = "date,time,entry_id,kind,resource_id,description,credit,debit,balance\r\n"
    expect(problemOf("GET", "/v1/statement", 200, "text/csv; charset=utf-8", csv)).toBe("fine")
    expect(problemOf("GET", "/v1/statement", 200, "text/csv", csv.replace("kind,", ""))).toContain("header")
    const line = { date: "", time: "", entry_id: "", kind: "", resource_id: "", description: "" }
    const lines = (...more: ReadonlyArray<object>) =>
      more.map((one) => `${JSON.stringify({ ...line, ...one })}\n`).join("")
    const amounts = { credit: 0, debit: 0, balance: 0 }
    const type = "application/x-ndjson"
    expect(problemOf("GET", "/v1/statement", 200, type, lines(amounts, amounts))).toBe("fine")
    expect(problemOf("GET", "/v1/statement", 200, type, lines(amounts, {}))).toContain("other keys")
    expect(problemOf("GET", "/v1/statement", 200, type, "")).toBe("fine")
  })

  it("the check of events on streams refuses fields that their type does not have", () => {
    const event = exampleInFeed(paidEvent)
    checkDocumentedEvent(event)
    expect(() => checkDocumentedEvent({ ...event, more: 1 })).toThrow("not as documented")
    expect(() => checkDocumentedEvent({ ...event, type: "refund.failed" })).toThrow("not as documented")
  })
})
