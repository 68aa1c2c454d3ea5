import readWorkbook from "read-excel-file/node"
import { describe, expect, it } from "vitest"
import type { CsvLocale } from "../../schema/csv.ts"
import type { Cell } from "../../src/exports/cells.ts"
import { makeXlsx } from "../../src/exports/xlsx.ts"

const columns = { name: "Extrato", titles: ["Data", "Texto", "Valor"], widths: [12, 30, 15] }

interface Written {
  readonly locale?: CsvLocale
  readonly sheetRowsMax?: number
}

/** A workbook whose rows are added page by page. */
const written = (pages: ReadonlyArray<ReadonlyArray<ReadonlyArray<Cell>>>, options: Written = {}): Buffer => {
  const book = makeXlsx({ ...columns, locale: "pt-BR", ...options })
  return Buffer.concat([...pages.map(book.rows), book.end()])
}

const read = (bytes: Buffer) => readWorkbook(bytes, { trim: false })
const rowsOf = async (rows: ReadonlyArray<ReadonlyArray<Cell>>, options?: Written) =>
  (await read(written([rows], options)))[0]?.data.slice(1)

/** Times are parts of a day, which the reader rounds down to a millisecond. */
const toSecond = (value: unknown) =>
  value instanceof Date ? new Date(Math.round(value.getTime() / 1000) * 1000).toISOString() : value

const day = { day: "2026-11-21" }

describe("a workbook", () => {
  it("another program reads titles, texts, amounts in reais and dates", async () => {
    const [sheet, ...others] = await read(
      written([
        [[{ day: "2026-11-21", time: "09:00:12" }, "Venda", 12_990]],
        [[{ day: "2018-11-03", time: "23:59:59" }, "Devolução", -1]],
      ]),
    )
    expect([sheet?.sheet, others]).toEqual(["Extrato", []])
    expect(sheet?.data.map((row) => row.map(toSecond))).toEqual([
      ["Data", "Texto", "Valor"],
      ["2026-11-21T09:00:12.000Z", "Venda", 129.9],
      ["2018-11-03T23:59:59.000Z", "Devolução", -0.01],
    ])
  })

  it("a list of nothing is a sheet of titles", async () => {
    expect(await read(written([]))).toEqual([{ sheet: "Extrato", data: [columns.titles] }])
  })

  it("empty cells keep their column", async () => {
    expect(await rowsOf([[day, "", 5]])).toEqual([[new Date("2026-11-21"), null, 0.05]])
    expect(await rowsOf([[null, null, 5]])).toEqual([[null, null, 0.05]])
  })

  it.each([
    ["=1+1"],
    ['=HYPERLINK("https://example.com","x")'],
    ["@SUM(1)"],
    ["-1"],
    ["\t=1"],
    ["  spaces  "],
    ["a & b < c > \"d\" 'e'"],
    ["]]><c><f>1+1</f></c>"],
    ["_x0041_"],
    ["01234567890"],
    ["1e5"],
    ["Ünïcödé 😀"],
  ])("%j stays the text that it is, and is no formula", async (text) => {
    expect(await rowsOf([[day, text, 0]])).toEqual([[new Date("2026-11-21"), text, 0]])
  })

  it("characters that XML does not allow are left out", async () => {
    expect(await rowsOf([[day, "a\u0000b\u001fc\ud800d\ufffee", 0]])).toEqual([
      [new Date("2026-11-21"), "abc\ufffdde", 0],
    ])
  })

  it("the largest amounts keep every centavo", async () => {
    expect(await rowsOf([[null, null, 999_999_999_999]])).toEqual([[null, null, 9_999_999_999.99]])
  })

  it("a sheet takes rows up to its limit, and one more goes into the next, with titles of its own", async () => {
    const rows = Array.from({ length: 4 }, (_, index) => [day, `row ${index}`, index])
    const full = await read(written([rows.slice(0, 3)], { sheetRowsMax: 4 }))
    expect(full.map(({ sheet, data }) => [sheet, data.length])).toEqual([["Extrato", 4]])
    for (const pages of [[rows], [rows.slice(0, 3), rows.slice(3)]]) {
      const sheets = await read(written(pages, { sheetRowsMax: 4 }))
      expect(sheets.map(({ sheet, data }) => [sheet, data.map((row) => row[1])])).toEqual([
        ["Extrato", ["Texto", "row 0", "row 1", "row 2"]],
        ["Extrato 2", ["Texto", "row 3"]],
      ])
    }
  })

  it("is written while it is read: what waits in the compressor is little, whatever the length", () => {
    const book = makeXlsx({ ...columns, locale: "en" })
    let bytes = 0
    for (let page = 1; page <= 50; page++) {
      const rows = Array.from({ length: 100 }, () => [
        day,
        Array.from({ length: 20 }, () => crypto.randomUUID()).join(""),
        1,
      ])
      bytes += book.rows(rows).length
      // Digits of an id are half a byte each, so a page is 36 kB once compressed, of 85 kB.
      expect(bytes).toBeGreaterThan((page - 3) * 30_000)
    }
    expect(book.end().length).toBeLessThan(200_000)
  })
})
