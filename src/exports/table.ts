import { type CsvLocale, localCsvDay, localCsvHeader, localCsvLine } from "../../schema/csv.ts"
import { type TableFormat, xlsxContentType } from "../../schema/exportFormats.ts"
import type { Cell } from "./cells.ts"
import { makeXlsx } from "./xlsx.ts"

/** A column of a sheet. */
export interface Column extends Readonly<Record<CsvLocale, string>> {
  /** In characters of the sheet's font. */
  readonly width: number
}

/** A list that can be exported, in every format that a list has. */
export interface ExportTable<Row> {
  /** What its sheet is called: at most 28 characters, so that a number fits behind. */
  readonly sheet: Readonly<Record<CsvLocale, string>>
  readonly columns: ReadonlyArray<Column>
  readonly cells: (row: Row, locale: CsvLocale) => ReadonlyArray<Cell>
  /** The object of a JSON line: names and words of the API, centavos. */
  readonly record: (row: Row, locale: CsvLocale) => Readonly<Record<string, unknown>>
}

/** Some of a file's content. */
export type Chunk = string | Uint8Array

/** Writes a file part by part: `header`, any number of `rows`, `footer`. Each file has its own. */
export interface ExportWriter<Row> {
  readonly contentType: string
  /** What its name ends with, without the dot. */
  readonly ending: string
  readonly header: Chunk
  readonly rows: (rows: ReadonlyArray<Row>) => Chunk
  readonly footer: () => Chunk
}

/** The content type of CSV: UTF-8, with a header line (RFC 7111). */
export const csvContentType = "text/csv; charset=utf-8; header=present"

/** The content type of JSON lines. */
export const ndjsonContentType = "application/x-ndjson"

const csvCell = (cell: Cell, locale: CsvLocale): string | number | null => {
  if (cell === null || typeof cell !== "object") return cell
  const day = cell.day === undefined ? [] : [localCsvDay(cell.day, locale)]
  return [...day, ...(cell.time === undefined ? [] : [cell.time])].join(" ")
}

/** Makes the writer of a file of a table (`docs/contract/exports.md#formats`). */
export const tableWriter = <Row>(
  { sheet, columns, cells, record }: ExportTable<Row>,
  format: TableFormat,
  locale: CsvLocale,
): ExportWriter<Row> => {
  const titles = columns.map((column) => column[locale])
  switch (format) {
    case "csv":
      return {
        contentType: csvContentType,
        ending: "csv",
        header: localCsvHeader(titles, locale),
        rows: (rows) =>
          rows
            .map((row) =>
              localCsvLine(
                cells(row, locale).map((cell) => csvCell(cell, locale)),
                locale,
              ),
            )
            .join(""),
        footer: () => "",
      }
    case "ndjson":
      return {
        contentType: ndjsonContentType,
        ending: "ndjson",
        header: "",
        rows: (rows) => rows.map((row) => `${JSON.stringify(record(row, locale))}\n`).join(""),
        footer: () => "",
      }
    case "xlsx": {
      const book = makeXlsx({
        name: sheet[locale],
        titles,
        widths: columns.map(({ width }) => width),
        locale,
      })
      return {
        contentType: xlsxContentType,
        ending: "xlsx",
        header: "",
        rows: (rows) => book.rows(rows.map((row) => cells(row, locale))),
        footer: book.end,
      }
    }
  }
}
