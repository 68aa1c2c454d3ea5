import { strToU8, Zip, ZipDeflate } from "fflate"
import { type CsvLocale, inReais } from "../../schema/csv.ts"
import { limits } from "../../schema/limits.ts"
import type { Cell, LocalMoment } from "./cells.ts"

/*
 * A workbook (ECMA-376, parts 1 and 2) is a zip of XML files. It is written while its rows are read:
 * 1. `rows` begins a sheet with its first row, and the next one when that is full.
 * 2. `end` closes the last sheet and adds the files that name the sheets: readers find files by the directory at the zip's end,
 *    so these may come last.
 * 3. Each call returns the bytes that have come about; the rest waits in the compressor.
 */

/** What a workbook of one list begins with. */
interface Book {
  /** The name of its sheet; the second one is called `<name> 2`. */
  readonly name: string
  readonly titles: ReadonlyArray<string>
  /** The columns' widths in characters. */
  readonly widths: ReadonlyArray<number>
  readonly locale: CsvLocale
  /** Rows of a sheet, that of the titles among them. */
  readonly sheetRowsMax?: number
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const mainNamespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const packageNamespace = "http://schemas.openxmlformats.org/package/2006"
const linkNamespace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const partType = "application/vnd.openxmlformats-officedocument.spreadsheetml"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Text as XML. Characters that XML does not allow are left out, and what Excel would take for its own escapes is escaped. */
const xmlText = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out.
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "")

/** Styles by their place in `cellXfs` of {@link stylesOf}. */
const styles = { title: 1, text: 2, money: 3, day: 4, time: 5, moment: 6 } as const

const money = "&quot;R$&quot;\\ #,##0.00;\\-&quot;R$&quot;\\ #,##0.00"
const dayFormats: Readonly<Record<CsvLocale, string>> = { "pt-BR": "dd/mm/yyyy", en: "yyyy-mm-dd" }

/** `quotePrefix` is the apostrophe of spreadsheets: text that looks like a formula stays text, also once somebody edits it. */
const stylesOf = (locale: CsvLocale): string => {
  const day = dayFormats[locale]
  const formats = [money, day, "hh:mm:ss", `${day}\\ hh:mm:ss`]
  const ids = formats.map((_, index) => 164 + index)
  const cellFormats = [
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>',
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>',
    ...ids.map(
      (id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    ),
  ]
  return [
    `${declaration}<styleSheet xmlns="${mainNamespace}"><numFmts count="${formats.length}">`,
    ...formats.map((format, index) => `<numFmt numFmtId="${ids[index]}" formatCode="${format}"/>`),
    '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    `<cellXfs count="${cellFormats.length}">${cellFormats.join("")}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join("")
}

/** Spreadsheets count days from the last one but one of 1899; a time is a part of a day. */
const firstDayMillis = Date.UTC(1899, 11, 30)
const serialOf = ({ day = "1899-12-30", time = "00:00:00" }: LocalMoment): number =>
  (Date.parse(`${day}T${time}Z`) - firstDayMillis) / 86_400_000

const momentStyle = ({ day, time }: LocalMoment): number => {
  if (day === undefined) return styles.time
  return time === undefined ? styles.day : styles.moment
}

const textXml = (text: string, style: number, address: string): string =>
  `<c r="${address}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`

const cellXml = (cell: Cell, address: string): string => {
  if (cell === null || cell === "") return ""
  if (typeof cell === "string") return textXml(cell, styles.text, address)
  const [style, value] =
    typeof cell === "number" ? [styles.money, inReais(cell)] : [momentStyle(cell), serialOf(cell)]
  return `<c r="${address}" s="${style}"><v>${value}</v></c>`
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** The row of that number, from 1. A list has at most 26 columns. */
const rowXml = <Value>(
  row: number,
  values: ReadonlyArray<Value>,
  cellOf: (value: Value, address: string) => string,
): string =>
  `<row r="${row}">${values.map((value, column) => cellOf(value, `${letters[column]}${row}`)).join("")}</row>`

const sheetHead = ({ titles, widths }: Book): string =>
  [
    `${declaration}<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView workbookViewId="0">`,
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>',
    ...widths.map(
      (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
    ),
    `</cols><sheetData>${rowXml(1, titles, (title, address) => textXml(title, styles.title, address))}`,
  ].join("")

const sheetNames = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `worksheets/sheet${index + 1}.xml`)

/** The files beside the sheets, by their names. */
const partsOf = ({ name, locale }: Book, sheets: number): Readonly<Record<string, string>> => {
  const names = sheetNames(sheets)
  const links = (of: ReadonlyArray<readonly [type: string, target: string]>) =>
    `${declaration}<Relationships xmlns="${packageNamespace}/relationships">${of
      .map(
        ([type, target], index) =>
          `<Relationship Id="rId${index + 1}" Type="${linkNamespace}/${type}" Target="${target}"/>`,
      )
      .join("")}</Relationships>`
  const override = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}" ContentType="${partType}.${kind}+xml"/>`
  return {
    "xl/workbook.xml": `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${linkNamespace}"><sheets>${names
      .map((_, index) => {
        const title = xmlText(index === 0 ? name : `${name} ${index + 1}`)
        return `<sheet name="${title}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`
      })
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": links([
      ...names.map((target) => ["worksheet", target] as const),
      ["styles", "styles.xml"],
    ]),
    "xl/styles.xml": stylesOf(locale),
    "_rels/.rels": links([["officeDocument", "xl/workbook.xml"]]),
    "[Content_Types].xml": `${declaration}<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${override("workbook.xml", "sheet.main")}${names.map((sheet) => override(sheet, "worksheet")).join("")}${override("styles.xml", "styles")}</Types>`,
  }
}

/** Begins a workbook of one list; every file has its own. */
export const makeXlsx = (book: Book) => {
  const { sheetRowsMax = limits.xlsxSheetRowsMax } = book
  let made: Array<Uint8Array> = []
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error
    made.push(bytes)
  })
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(made)
    made = []
    return bytes
  }
  const add = (name: string): ZipDeflate => {
    const file = new ZipDeflate(name)
    zip.add(file)
    return file
  }
  let sheets = 0
  let sheet: ZipDeflate | undefined
  let rows = 0

  const endSheet = () => {
    sheet?.push(strToU8("</sheetData></worksheet>"), true)
    sheet = undefined
  }
  const beginSheet = (): ZipDeflate => {
    endSheet()
    sheets += 1
    rows = 1
    const begun = add(`xl/worksheets/sheet${sheets}.xml`)
    begun.push(strToU8(sheetHead(book)))
    sheet = begun
    return begun
  }

  return {
    /** The bytes that come about by adding rows; there may be none yet. */
    rows: (added: ReadonlyArray<ReadonlyArray<Cell>>): Uint8Array => {
      for (let from = 0; from < added.length; ) {
        const open = sheet === undefined || rows === sheetRowsMax ? beginSheet() : sheet
        const some = added.slice(from, from + sheetRowsMax - rows)
        const first = rows + 1
        open.push(strToU8(some.map((cells, index) => rowXml(first + index, cells, cellXml)).join("")))
        rows += some.length
        from += some.length
      }
      return take()
    },
    /** The rest of the file. A list without rows is a sheet of titles. */
    end: (): Uint8Array => {
      if (sheets === 0) beginSheet()
      endSheet()
      for (const [name, text] of Object.entries(partsOf(book, sheets))) add(name).push(strToU8(text), true)
      zip.end()
      return take()
    },
  }
}
