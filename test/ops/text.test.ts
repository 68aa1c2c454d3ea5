import { stripVTControlCharacters } from "node:util"
import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import { ApiError } from "../../schema/errors.ts"
import { hasColours, paintOf } from "../../src/ops/output.ts"
import { errorText } from "../../src/ops/program.ts"
import { fields, heading, note, quote, renderBlocks, table } from "../../src/ops/text/blocks.ts"
import { shownClosing } from "../../src/ops/text/closing.ts"
import { count, inert, money, percent, shown, time } from "../../src/ops/text/values.ts"

const render = (...blocks: Parameters<typeof renderBlocks>[0]) => renderBlocks(blocks, paintOf(false))

describe("values as ops shows them to people", () => {
  it("amounts are in reais, numbers with their thousands apart, times in UTC to the second", () => {
    expect([money(1290), money(-5), money(0), money(123_456_789)]).toEqual([
      ...["R$ 12,90", "-R$ 0,05", "R$ 0,00", "R$ 1.234.567,89"],
    ])
    expect([count(1_234_567), percent(125), percent(0)]).toEqual(["1,234,567", "1.25 %", "0 %"])
    expect(time("2026-11-21T12:04:05.678Z")).toBe("2026-11-21 12:04:05 UTC")
    expect([time(null), shown(null), shown(undefined), shown(""), shown(true), shown(false)]).toEqual([
      ...["-", "-", "-", "-", "yes", "no"],
    ])
  })

  it("nothing that a terminal would obey is shown as it is", () => {
    const text = "a\u001b[31mb\rc\u009bd\u202ee\u2066f\ng"
    expect(inert(text)).toBe("a\\u001b[31mb\\u000dc\\u009bd\\u202ee\\u2066f\\u000ag")
    expect(render(fields(["Name", text]), table(["x"], [[text]]), heading(text), quote(text))).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
      /[\u001b\r\u009b\u202e\u2066]/,
    )
  })
})

describe("tables as ops shows them to people", () => {
  it("columns are aligned, numbers to the right, wide characters and emoji counted as two", () => {
    const text = render(
      table(
        ["Name", ">Amount", "Note"],
        [
          ["Ana", "R$ 1,00", "x"],
          ["\u5c71\u7530\u5546\u5e97", "R$ 1.000,00", "y"],
          ["Caf\u00e9 \u2615", "R$ 10,00", null],
        ],
      ),
    )
    const lines = text.split("\n")
    expect(lines[0]).toBe("Name           Amount  Note")
    // The last column begins at the same place on every line.
    const starts = lines.map((line) => stringWidth(line) - stringWidth(line.split("  ").at(-1) ?? ""))
    expect(new Set(starts)).toEqual(new Set([23]))
  })

  it("a table without rows says so, fields are aligned, and only a heading stands close to what follows", () => {
    expect(
      render(heading("Things"), table(["a"], []), fields(["A", 1], ["Long one", "x"]), note("End.")),
    ).toBe("Things\nNone.\n\nA         1\nLong one  x\n\nEnd.")
  })

  it("text has colours at a terminal only, unless NO_COLOR, FORCE_COLOR or TERM say otherwise", () => {
    expect(hasColours({}, true)).toBe(true)
    expect(hasColours({}, false)).toBe(false)
    expect(hasColours({ NO_COLOR: "1", FORCE_COLOR: "1" }, true)).toBe(false)
    expect(hasColours({ NO_COLOR: "" }, true)).toBe(true)
    expect(hasColours({ FORCE_COLOR: "1" }, false)).toBe(true)
    expect(hasColours({ FORCE_COLOR: "0" }, true)).toBe(false)
    expect(hasColours({ TERM: "dumb" }, true)).toBe(false)
    const blocks = [heading("Things"), table(["a", "b"], [["1", "2"]])]
    const coloured = renderBlocks(blocks, paintOf(true))
    expect(coloured).toContain("\u001b[1m")
    expect(stripVTControlCharacters(coloured)).toBe(renderBlocks(blocks, paintOf(false)))
  })
})

describe("what ops shows of failures and closings", () => {
  it("a failure is a sentence with its code, its place, its details and its request", () => {
    const error = new ApiError({
      ...{ code: "invalid_state", message: "No.", param: "email" },
      details: { limit: 5 },
    })
    expect(errorText(error, "req_1")).toBe(
      "Error: No.\n\nCode     invalid_state\nAt       email\nlimit    5\nRequest  req_1",
    )
  })

  it("a closing's books are tables of reais, and say where there are more sellers", () => {
    const zero = { available: 0, reserve: 0, pending_withdraw: 0, pending_refund: 0, external: 0, fees: 0 }
    const books = {
      opening: zero,
      movements: { charge_paid: { ...zero, available: 12_890, external: -12_990, fees: 100 } },
      closing: { ...zero, available: 12_890, external: -12_990, fees: 100 },
    }
    const closing = {
      ...({ object: "closing", day: "2026-11-21", mode: "live", difference: 0 } as const),
      created_at: "2026-11-22T03:30:00.000Z",
      platform: books,
      partner: {
        received: 12_990,
        sent: 0,
        returned: 0,
        difference: 0,
        balance: 12_990,
        balance_difference: null,
      },
      sellers: [{ seller_id: "sel_1", ...books }],
      more_sellers: true,
    } as const
    const text = render(...shownClosing(closing))
    expect(text).toMatch(/^charge_paid +R\$ 128,90 .* -R\$ 129,90 +R\$ 1,00$/m)
    expect(text).toMatch(/^Received +R\$ 129,90$/m)
    expect(text).toMatch(/^sel_1 +R\$ 128,90/m)
    expect(text).toContain("There are more sellers")
    const without = render(...shownClosing({ ...closing, partner: null, sellers: [], more_sellers: false }))
    expect(without).toContain("no books of an acquirer")
    expect(without).not.toContain("There are more sellers")
  })
})
