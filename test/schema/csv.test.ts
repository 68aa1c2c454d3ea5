import { describe, expect, it } from "vitest"
import { csvLine, localCsvLine } from "../../schema/csv.ts"

describe("a line of CSV", () => {
  it("has semicolons and decimal commas in Brazil, commas and points in English", () => {
    const values = ["2026-11-21", "Ana Souza", 123_456, -5, 0, null]
    expect(localCsvLine(values, "pt-BR")).toBe("2026-11-21;Ana Souza;1234,56;-0,05;0,00;\r\n")
    expect(localCsvLine(values, "en")).toBe("2026-11-21,Ana Souza,1234.56,-0.05,0.00,\r\n")
  })

  it.each(["pt-BR", "en"] as const)(
    "quotes separators of every locale, quotes and line ends (%s)",
    (locale) => {
      const between = locale === "pt-BR" ? ";" : ","
      expect(localCsvLine(["a;b", "a,b", 'a "b"', "a\nb", "a b"], locale)).toBe(
        `${['"a;b"', '"a,b"', '"a ""b"""', '"a\nb"', "a b"].join(between)}\r\n`,
      )
    },
  )

  it.each(["=1+1", "+55", "-2", "@a", "\t=1", " =1", "\uFEFF=1", "＝1"])(
    "makes text of %j, which a spreadsheet would run",
    (text) => {
      expect(localCsvLine([text], "pt-BR").trimEnd().replaceAll('"', "")).toBe(`'${text}`)
      expect(csvLine([text]).trimEnd().replaceAll('"', "")).toBe(`'${text}`)
    },
  )
})
