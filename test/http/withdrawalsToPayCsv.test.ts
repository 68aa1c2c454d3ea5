import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { WithdrawalToPay } from "../../schema/api/manualPayouts.ts"
import { toPayCsv } from "../../src/http/handlers/withdrawalsToPay.ts"
import { runsOf } from "../support/sizes.ts"

const withdrawal = (changes: Partial<WithdrawalToPay> = {}): WithdrawalToPay => ({
  ...{ id: "wd_1", amount: 5, seller_id: "sel_1", seller_name: "Loja" },
  pix_key: { type: "email", value: "ana@example.com" },
  holder: { name: "Ana", document: null },
  ...{ description: null, approved_at: "2026-11-21T12:00:00.000Z" },
  ...changes,
})

/** The fields of each line, as a program reads CSV (RFC 4180). */
const parse = (csv: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = [[]]
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === "\r\n") lines.push([])
  }
  return lines.slice(0, -1)
}

describe("withdrawals to pay as CSV", () => {
  it.each([
    [0, "0.00"],
    [5, "0.05"],
    [10, "0.10"],
    [99_999_999_999, "999999999.99"],
  ])("%i centavos are %s", (amount, text) => {
    expect(parse(toPayCsv([withdrawal({ amount })]))[1]?.[1]).toBe(text)
  })

  it.each(["=1+1", "+5511987654321", "-1", "@SUM(A1)", "\t=1", " =1", "\u00a0=1", "＝1+1"])(
    "a spreadsheet does not run %j",
    (description) => {
      expect(parse(toPayCsv([withdrawal({ description })]))[1]?.[8]).toBe(`'${description}`)
    },
  )

  it("whatever sellers wrote is read back whole, and begins with nothing that a spreadsheet runs", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.stringMatching(/^[=+\-@",'\r\n\t ]{0,4}[a-z]{0,3}$/),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (rows) => {
        const items = rows.map(([name, description]) => withdrawal({ seller_name: name, description }))
        const [header, ...lines] = parse(toPayCsv(items))
        expect(header).toHaveLength(10)
        expect(lines).toHaveLength(rows.length)
        for (const [i, line] of lines.entries()) {
          expect(line).toHaveLength(10)
          const [name = "", description = ""] = rows[i] ?? []
          for (const [field = "", written] of [
            [line[3], name],
            [line[8], description],
          ]) {
            expect([written, `'${written}`]).toContain(field)
            expect(field).not.toMatch(/^\s*[=+\-@]/)
          }
        }
      }),
      { numRuns: runsOf(500) },
    )
  })
})
