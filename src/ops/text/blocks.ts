import { styleText } from "node:util"
import stringWidth from "string-width"
import { shown } from "./values.ts"

/** A column's head; `right` aligns numbers. The last column is never padded. */
export interface Column {
  readonly head: string
  readonly align?: "left" | "right"
}

/** A part of what a command shows a person; blank lines separate parts. */
export type Block =
  | { readonly kind: "heading"; readonly text: string }
  /** A sentence for the reader. */
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "fields"; readonly rows: ReadonlyArray<readonly [label: string, value: unknown]> }
  | {
      readonly kind: "table"
      readonly columns: ReadonlyArray<Column>
      readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
      /** Shown instead of a table without rows. */
      readonly empty: string
    }
  /** Lines as they are, indented: a mail's text. */
  | { readonly kind: "quote"; readonly text: string }

export const heading = (text: string): Block => ({ kind: "heading", text })
export const note = (text: string): Block => ({ kind: "note", text })
export const quote = (text: string): Block => ({ kind: "quote", text })

/** Names and values, one a line. */
export const fields = (...rows: ReadonlyArray<readonly [label: string, value: unknown]>): Block => ({
  kind: "fields",
  rows,
})

/** A table; a head that begins with `>` aligns its column to the right. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  empty = "None.",
): Block => ({
  kind: "table",
  columns: heads.map((head) => (head.startsWith(">") ? { head: head.slice(1), align: "right" } : { head })),
  rows,
  empty,
})

const gap = "  "

/** Pads to a width in columns of the terminal, of which a wide character takes two. */
const padded = (text: string, width: number, align: Column["align"] = "left"): string => {
  const spaces = " ".repeat(Math.max(0, width - stringWidth(text)))
  return align === "right" ? spaces + text : text + spaces
}

const widthsOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))
  }
  return widths
}

/** Paints a text, where the terminal shows colours. */
export type Paint = (style: "bold" | "dim" | "red", text: string) => string

export const painted: Paint = (style, text) => styleText(style, text, { validateStream: false })
export const plain: Paint = (_style, text) => text

const lines = (rows: ReadonlyArray<ReadonlyArray<string>>, columns: ReadonlyArray<Column>) => {
  const widths = widthsOf(rows)
  return rows.map((row) =>
    row
      .map((cell, i) => padded(cell, widths[i] ?? 0, columns[i]?.align))
      .join(gap)
      .trimEnd(),
  )
}

const renderBlock = (block: Block, paint: Paint): string => {
  switch (block.kind) {
    case "heading":
      return paint("bold", shown(block.text))
    case "note":
      return block.text
    case "quote":
      return block.text
        .split("\n")
        .map((line) => (line === "" ? "" : `  ${shown(line)}`))
        .join("\n")
    case "fields": {
      const width = Math.max(...block.rows.map(([label]) => stringWidth(label)))
      return block.rows
        .map(([label, value]) => `${paint("dim", padded(label, width))}${gap}${shown(value)}`)
        .join("\n")
    }
    case "table": {
      if (block.rows.length === 0) return block.empty
      const cells = [block.columns.map(({ head }) => head), ...block.rows.map((row) => row.map(shown))]
      const [head = "", ...rest] = lines(cells, block.columns)
      return [paint("dim", head), ...rest].join("\n")
    }
  }
}

/** The blocks as text. A heading stands right above what it names. */
export const renderBlocks = (blocks: ReadonlyArray<Block>, paint: Paint): string =>
  blocks
    .map(
      (block, i) =>
        (i === 0 ? "" : blocks[i - 1]?.kind === "heading" ? "\n" : "\n\n") + renderBlock(block, paint),
    )
    .join("")
