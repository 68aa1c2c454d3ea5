import { Effect } from "effect"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { dayEndMillis, dayStartMillis, daysBetween } from "../../../actors/values/saoPauloDays.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { sessionStatementGroup, statementGroup } from "../../../schema/api/statement.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import { validationFailed } from "../../../schema/errors.ts"
import type { TableFormat } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import { exportFile, gainOf, statementTable } from "../../exports/statementTable.ts"
import { csvContentType, type ExportWriter, ndjsonContentType, tableWriter } from "../../exports/table.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { makeEntryCharges } from "./entryCharges.ts"
import { type FileSource, fileReply, type OpenFile } from "./fileStream.ts"
import { keyRevoked, orFail, withoutKey } from "./page.ts"
import { type StatementFormat, statementHeader, statementRow } from "./statementRows.ts"

export type StatementHandlers = GroupHandlers<typeof statementGroup> &
  GroupHandlers<typeof sessionStatementGroup>

interface Days {
  readonly from: string
  readonly to: string
}

/** The stretch of the ledger that holds the days. Redis' entries begin with 1970. */
const spanOf = ({ from, to }: Days) => {
  const days = daysBetween(from, to)
  if (days < 1) return validationFailed("to", "to must not be before from.")
  if (days > limits.statementDaysMax) {
    return validationFailed("to", `A statement has at most ${limits.statementDaysMax} days; ask for fewer.`)
  }
  return { fromMillis: Math.max(dayStartMillis(from), 0), toMillis: Math.max(dayEndMillis(to), 0) }
}

/** JSON lines where `Accept` names them, whatever else it names; else CSV. */
const formatOf = (accept: string | undefined): StatementFormat => {
  const ranges = (accept ?? "").toLowerCase().split(",")
  const isNamed = ranges.some((range) => range.split(";")[0]?.trim() === "application/x-ndjson")
  return isNamed ? "jsonLines" : "csv"
}

type FileType = Pick<ExportWriter<never>, "contentType" | "ending">

const files: Readonly<Record<StatementFormat, FileType>> = {
  csv: { contentType: csvContentType, ending: "csv" },
  jsonLines: { contentType: ndjsonContentType, ending: "jsonl" },
}

/** What a statement is asked for. */
interface Asked {
  readonly principal: Principal
  readonly query: Days
}

interface AskedFile extends Asked {
  readonly query: Days & { readonly format: TableFormat; readonly locale?: CsvLocale }
}

/** How a statement is written, and as which file. */
interface Form<E> extends Pick<FileSource<E>, "header" | "pageEntries" | "render" | "footer"> {
  readonly type: FileType
  /** Its name without the ending. */
  readonly file: string
}

/** Routes of statements. */
export const makeStatementHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const ledger = yield* Ledger
  const sellers = yield* SellerStore
  const chargesOf = yield* makeEntryCharges
  const { windowIn } = yield* makeClockWindows
  const sessions = yield* SessionAuthenticator

  /** Streams a statement. `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* <E>(
    { principal, query }: Asked,
    form: Form<E>,
    admitted: Effect.Effect<void, E>,
  ) {
    const shown = yield* orFail(spanOf(query))
    const { fromMillis = 0, toMillis = shown.toMillis } = yield* windowIn(principal, shown)
    const span = { fromMillis, toMillis }
    const { pageEntries: entriesMax, header, render, footer } = form
    const readAfter = Effect.fnUntraced(function* (afterEntryId: string | undefined) {
      yield* admitted
      const page = yield* ledger.readSpan(principal, { ...span, afterEntryId, entriesMax })
      if ("kind" in page) return yield* keyRevoked()
      return page
    })
    const { sellerId } = principal
    const stream = yield* open({ sellerId, header, pageEntries: entriesMax, readAfter, render, footer })
    return fileReply(stream, form.type, form.file)
  })

  const formOf = ({ principal, query: { from, to } }: Asked, accept: string | undefined): Form<never> => {
    const format = formatOf(accept)
    return {
      type: files[format],
      file: `statement-${principal.mode}-${from}-${to}`,
      header: statementHeader(format),
      pageEntries: limits.statementPageEntries,
      render: (page) =>
        Effect.sync(() => page.map((entry) => statementRow(principal, entry, format)).join("")),
      footer: Effect.succeed(""),
    }
  }

  const exportOf = Effect.fnUntraced(function* ({ principal, query }: AskedFile) {
    const { locale = "pt-BR", format } = query
    const seller = yield* sellers.get(principal.sellerId)
    const writer = tableWriter(statementTable(principal), format, locale)
    const form: Form<StoreUnavailable> = {
      type: writer,
      file: exportFile(locale, seller?.name ?? "", principal.mode, query),
      header: writer.header,
      pageEntries: limits.exportPageEntries,
      render: (page) =>
        Effect.map(chargesOf(page), (charges) =>
          writer.rows(
            page
              .filter((entry) => gainOf(entry) !== 0)
              .map((entry) => ({ entry, charge: charges.get(entry.resourceId) })),
          ),
        ),
      footer: Effect.sync(writer.footer),
    }
    return form
  })

  const handlers: StatementHandlers = {
    getStatement: (request) => answer(request, formOf(request, request.header("accept")), Effect.void),
    getMyStatement: (request) =>
      withoutKey(
        answer(request, formOf(request, request.header("accept")), whileLive(sessions, request.session)),
      ),
    exportStatement: Effect.fnUntraced(function* (request) {
      const form = yield* exportOf(request)
      return yield* answer(request, form, Effect.void)
    }),
    exportMyStatement: Effect.fnUntraced(function* (request) {
      const form = yield* exportOf(request)
      return yield* withoutKey(answer(request, form, whileLive(sessions, request.session)))
    }),
  }
  return handlers
})
