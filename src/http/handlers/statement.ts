import { Effect } from "effect"
import { Ledger, type StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { dayEndMillis, dayStartMillis, daysBetween } from "../../../actors/values/saoPauloDays.ts"
import type { sessionStatementGroup, statementGroup } from "../../../schema/api/statement.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { csvContentType, ndjsonContentType } from "../../exports/table.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { fileReply, type OpenFile } from "./fileStream.ts"
import { kindsOf } from "./ledger.ts"
import { keyRevoked, orFail, withoutKey } from "./page.ts"
import {
  type AskedExport,
  type Days,
  makeStatementExport,
  type ShownSpan,
  type StatementForm,
  type Unreadable,
} from "./statementExport.ts"
import { type StatementLines, statementHeader, statementRow } from "./statementRows.ts"
import { makeStatementSummary } from "./statementSummary.ts"

export type StatementHandlers = GroupHandlers<typeof statementGroup> &
  GroupHandlers<typeof sessionStatementGroup>

interface Asked {
  readonly principal: Principal
  readonly query: Days
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
const formatOf = (accept: string | undefined): StatementLines => {
  const ranges = (accept ?? "").toLowerCase().split(",")
  const isNamed = ranges.some((range) => range.split(";")[0]?.trim() === "application/x-ndjson")
  return isNamed ? "jsonLines" : "csv"
}

const files: Readonly<Record<StatementLines, StatementForm<never>["type"]>> = {
  csv: { contentType: csvContentType, ending: "csv" },
  jsonLines: { contentType: ndjsonContentType, ending: "jsonl" },
}

/** Makes the functions that answer statements and their exports. */
export const makeStatementFiles = Effect.fnUntraced(function* (open: OpenFile) {
  const ledger = yield* Ledger
  const exportOf = yield* makeStatementExport
  const summaryOf = yield* makeStatementSummary
  const { windowIn } = yield* makeClockWindows

  /** Streams a statement of a stretch of the seller's clock. `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* <E, Refused>(
    principal: Principal,
    shown: ShownSpan,
    form: StatementForm<Refused>,
    admitted: Effect.Effect<void, E>,
  ) {
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
    const stream = yield* open<E | Refused | Unreadable, StoredLedgerEntry>({
      sellerId,
      header,
      pageEntries: entriesMax,
      readAfter,
      render,
      footer,
    })
    return fileReply(stream, form.type, form.file)
  })

  const answerLines = Effect.fnUntraced(function* <E>(
    { principal, query }: Asked,
    accept: string | undefined,
    admitted: Effect.Effect<void, E>,
  ) {
    const format = formatOf(accept)
    const form: StatementForm<never> = {
      type: files[format],
      file: `statement-${principal.mode}-${query.from}-${query.to}`,
      header: statementHeader(format),
      pageEntries: limits.statementPageEntries,
      render: (page) =>
        Effect.sync(() => page.map((entry) => statementRow(principal, entry, format)).join("")),
      footer: Effect.succeed(""),
    }
    return yield* answer(principal, yield* orFail(spanOf(query)), form, admitted)
  })

  const answerExport = Effect.fnUntraced(function* <E>(
    { principal, query }: AskedExport,
    admitted: Effect.Effect<void, E>,
  ) {
    const shown = yield* orFail(spanOf(query))
    const form = yield* exportOf({ principal, query }, shown)
    return yield* answer(principal, shown, form, admitted)
  })

  const answerSummary = Effect.fnUntraced(function* ({
    principal,
    query,
  }: Asked & { readonly query: { readonly kinds?: string } }) {
    const shown = yield* orFail(spanOf(query))
    const kinds = yield* orFail(kindsOf(query.kinds))
    return { status: 200, body: JSON.stringify(yield* summaryOf(principal, shown, kinds)) }
  })

  return { answerLines, answerExport, answerSummary }
})

/** Routes of statements. */
export const makeStatementHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const { answerLines, answerExport, answerSummary } = yield* makeStatementFiles(open)
  const sessions = yield* SessionAuthenticator

  const handlers: StatementHandlers = {
    getStatement: (request) => answerLines(request, request.header("accept"), Effect.void),
    getMyStatement: (request) =>
      withoutKey(answerLines(request, request.header("accept"), whileLive(sessions, request.session))),
    getMyStatementSummary: (request) => withoutKey(answerSummary(request)),
    exportStatement: (request) => answerExport(request, Effect.void),
    exportMyStatement: (request) => withoutKey(answerExport(request, whileLive(sessions, request.session))),
  }
  return handlers
})
