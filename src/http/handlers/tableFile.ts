import { Effect } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import type { TableFormat } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import { fileModes } from "../../exports/fileWords.ts"
import { type ExportTable, tableWriter } from "../../exports/table.ts"
import { type FileSource, fileReply, type Listed, type OpenFile } from "./fileStream.ts"

/** How a list is to be written. */
export interface TableQuery {
  readonly format?: TableFormat
  readonly locale?: CsvLocale
}

/** A list that is exported: how its pages are read, of `limits.exportPageEntries`, and what the rows of one are. */
export interface TableSource<Item extends Listed, Row, E> extends Pick<FileSource<E, Item>, "readAfter"> {
  readonly table: ExportTable<Row>
  /** The file's name, before mode and ending. */
  readonly names: Readonly<Record<CsvLocale, string>>
  readonly rows: (page: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, E>
}

/** Makes the function that answers a list as a file (`docs/contract/exports.md#formats`). */
export const makeTableFile = (open: OpenFile) =>
  Effect.fnUntraced(function* <Item extends Listed, Row, E>(
    principal: Principal,
    { format = "csv", locale = "pt-BR" }: TableQuery,
    { table, names, readAfter, rows }: TableSource<Item, Row, E>,
  ) {
    const writer = tableWriter(table, format, locale)
    const stream = yield* open({
      sellerId: principal.sellerId,
      header: writer.header,
      pageEntries: limits.exportPageEntries,
      readAfter,
      render: (page: ReadonlyArray<Item>) => Effect.map(rows(page), writer.rows),
      footer: Effect.sync(writer.footer),
    })
    return fileReply(stream, writer, `${names[locale]}-${fileModes[locale][principal.mode]}`)
  })
