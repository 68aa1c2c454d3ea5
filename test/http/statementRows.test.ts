import { describe, expect, it } from "vitest"
import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { ledgerKinds } from "../../schema/resources/ledger.ts"
import { statementDescriptions, statementRow } from "../../src/http/handlers/statementRows.ts"
import { principal } from "./fixture.ts"
import { entryAt } from "./statementFixture.ts"

const withAvailable = (amount: number, left: number, at = "2026-11-21T12:00:00Z"): StoredLedgerEntry => ({
  ...entryAt(0),
  entryId: `${Date.parse(at)}-7`,
  postings: [
    { bucket: "available", amount },
    { bucket: "external", amount: -amount },
  ],
  balance: { ...entryAt(0).balance, available: left },
})

const fieldsOf = (entry: StoredLedgerEntry) => statementRow(principal, entry, "csv").trimEnd().split(",")
const amountsOf = (amount: number, left: number) => fieldsOf(withAvailable(amount, left)).slice(6)

describe("a statement's lines", () => {
  it.each([
    [1, 1, ["0.01", "", "0.01"]],
    [-10, -9, ["", "0.10", "-0.09"]],
    [123_456, 0, ["1234.56", "", "0.00"]],
    [-100, -12_345, ["", "1.00", "-123.45"]],
    [999_999_999_999, Number.MAX_SAFE_INTEGER, ["9999999999.99", "", "90071992547409.91"]],
  ])("%d centavos that leave %d are written exactly", (amount, left, fields) => {
    expect(amountsOf(amount, left)).toEqual(fields)
  })

  it("an entry that leaves available as it was has no line, even where it passes through it", () => {
    const passing = {
      ...entryAt(0),
      postings: [
        { bucket: "available", amount: 5 },
        { bucket: "available", amount: -5 },
      ],
    } as const
    expect(statementRow(principal, passing, "csv")).toBe("")
    expect(statementRow(principal, entryAt(2), "jsonLines")).toBe("")
  })

  it("a line has the day and time of São Paulo, in summer time too", () => {
    const at = (text: string) => fieldsOf(withAvailable(1, 1, text)).slice(0, 2)
    expect(at("2018-11-04T02:59:59Z")).toEqual(["2018-11-03", "23:59:59"])
    expect(at("2018-11-04T03:00:00Z")).toEqual(["2018-11-04", "01:00:00"])
    expect(at("2018-02-18T02:59:59Z")).toEqual(["2018-02-17", "23:59:59"])
    expect(at("2018-02-18T03:00:00Z")).toEqual(["2018-02-18", "00:00:00"])
  })

  it("every kind has a description of its own, of letters and spaces, which no spreadsheet runs", () => {
    const descriptions = ledgerKinds.map((kind) => statementDescriptions[kind])
    for (const description of descriptions) expect(description).toMatch(/^[A-Z][a-z ]+$/)
    expect(new Set(descriptions).size).toBe(ledgerKinds.length)
  })
})
