import { Effect } from "effect"
import { Ledger } from "../../../actors/ports/ledger.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { dayEndMillis, dayStartMillis, daysBetween } from "../../../actors/values/saoPauloDays.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { sessionStatementGroup, statementGroup } from "../../../schema/api/statement.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { SessionAuthenticator } from "../contract/sessionGuard.ts"
import type { StreamReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { csvContentType } from "./csvReply.ts"
import { keyRevoked, orFail } from "./page.ts"
import { type StatementFormat, statementHeader, statementRow } from "./statementRows.ts"
import { makeStatementStreams } from "./statementStream.ts"

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

const files: Readonly<Record<StatementFormat, { readonly contentType: string; readonly ending: string }>> = {
  csv: { contentType: csvContentType, ending: "csv" },
  jsonLines: { contentType: "application/x-ndjson", ending: "jsonl" },
}

const sessionEnded = new ApiError({ code: "session_required", message: "This session has ended. Sign in." })

/** Routes of statements. */
export const makeStatementHandlers = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sessions = yield* SessionAuthenticator
  const open = yield* makeStatementStreams

  /** `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* (
    principal: Principal,
    days: Days,
    accept: string | undefined,
    admitted: Effect.Effect<boolean, StoreUnavailable>,
  ) {
    const span = yield* orFail(spanOf(days))
    const format = formatOf(accept)
    const { contentType, ending } = files[format]
    const readAfter = Effect.fnUntraced(function* (afterEntryId: string | undefined) {
      if (!(yield* admitted)) return yield* sessionEnded
      const entriesMax = limits.statementPageEntries
      const page = yield* ledger.readSpan(principal, { ...span, afterEntryId, entriesMax })
      if ("kind" in page) return yield* keyRevoked()
      return page
    })
    const stream = yield* open({
      sellerId: principal.sellerId,
      header: statementHeader(format),
      readAfter,
      render: (entry) => statementRow(principal, entry, format),
    })
    const name = `statement-${principal.mode}-${days.from}-${days.to}.${ending}`
    const reply: StreamReply = {
      stream,
      contentType,
      headers: [["Content-Disposition", `attachment; filename="${name}"`]],
    }
    return reply
  })

  const handlers: StatementHandlers = {
    getStatement: (request) =>
      answer(request.principal, request.query, request.header("accept"), Effect.succeed(true)),
    getMyStatement: (request) => {
      const { principal, query, session } = request
      return answer(principal, query, request.header("accept"), sessions.isLive(session))
    },
  }
  return handlers
})
