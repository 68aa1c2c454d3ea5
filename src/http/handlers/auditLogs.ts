import { Effect } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import type { sellerAuditGroup } from "../../../schema/api/sellerAudit.ts"
import { csvLine } from "../../../schema/csv.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { SellerAuditEntry } from "../../../schema/resources/sellerAudit.ts"
import { sellerActions } from "../../../schema/sellerActions.ts"
import { type AuditColumns, sellerColumns } from "../../accounts/auditColumns.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { auditTable } from "../../exports/auditTable.ts"
import { tableWriter } from "../../exports/table.ts"
import type { EntriesFound } from "../../store/auditStream.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Reply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { csvReply, isCsvWanted } from "./csvReply.ts"
import { Cursors } from "./cursors.ts"
import { fileReply, type Listed, type OpenFile } from "./fileStream.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"
import type { TableQuery } from "./tableFile.ts"

const familyPattern = /\.\*$/

const oneTest = (wanted: string): ((action: string) => boolean) => {
  if (!familyPattern.test(wanted)) return (action) => action === wanted
  const beginning = wanted.slice(0, -1)
  return (action) => action.startsWith(beginning)
}

/** Makes the test of an action by names and families (`api_key.*`), separated by commas; undefined: any. */
export const actionTest = (wanted: string | undefined): ((action: string) => boolean) => {
  if (wanted === undefined) return () => true
  const tests = wanted.split(",").map(oneTest)
  return (action) => tests.some((isOne) => isOne(action))
}

/** A page of an audit log, as JSON or CSV. */
export const auditReply = <Entry>(
  { entries, nextBeforeId }: EntriesFound<Entry>,
  csv: { readonly columns: AuditColumns<Entry>; readonly file: string } | undefined,
  cursorOf: (beforeId: string) => string,
): Reply => {
  const next = nextBeforeId === undefined ? undefined : cursorOf(nextBeforeId)
  if (csv === undefined) {
    return pageReply(
      entries.map((entry) => JSON.stringify(entry)),
      next,
    )
  }
  const { names, valuesOf } = csv.columns
  const lines = [names, ...entries.map(valuesOf)].map(csvLine)
  return csvReply(lines.join(""), csv.file, next)
}

const unknownAction = validationFailed(
  "action",
  "action must be an action of the audit log, or a family such as api_key.*; several are separated by commas.",
)

const fileNames = { "pt-BR": "atividade-da-conta", en: "account-activity" } as const

interface Filters {
  readonly from?: string
  readonly to?: string
  readonly actor?: string
  readonly action?: string
}

/** What a page of the log is looked through for; fails on an action that no entry can have. */
const wantedOf = ({ actor: wanted, action: actions, ...window }: Filters) => {
  const isKnown = (one: string) => Object.keys(sellerActions).some(oneTest(one))
  if (actions?.split(",").every(isKnown) === false) return Effect.fail(unknownAction)
  const isWanted = actionTest(actions)
  return Effect.succeed({
    ...windowOf(window),
    matches: ({ action, actor }: SellerAuditEntry) =>
      isWanted(action) && (wanted === undefined || actor.id === wanted || actor.type === wanted),
  })
}

/** Makes the function that answers the log as a file, whose pages are full wherever more follows: a short one ends a file. */
const makeAuditFiles = Effect.fnUntraced(function* (open: OpenFile) {
  const audit = yield* SellerAudit
  const sessions = yield* SessionAuthenticator
  const pageEntries = limits.exportPageEntries
  return Effect.fnUntraced(function* (
    { sellerId }: Principal,
    session: Session,
    { format = "csv", locale = "pt-BR", ...filters }: TableQuery & Filters,
  ) {
    const wanted = yield* wantedOf(filters)
    const readAfter = Effect.fnUntraced(function* (entryId: string | undefined) {
      const entries: Array<SellerAuditEntry & Listed> = []
      let beforeId = entryId
      do {
        yield* whileLive(sessions, session)
        const found = yield* audit.list(sellerId, {
          ...{ ...wanted, beforeId },
          limit: pageEntries - entries.length,
        })
        entries.push(...found.entries.map((entry) => ({ ...entry, entryId: entry.id })))
        beforeId = found.nextBeforeId
      } while (beforeId !== undefined && entries.length < pageEntries)
      return entries
    })
    const writer = tableWriter(auditTable, format, locale)
    const stream = yield* open({
      ...{ sellerId, pageEntries, readAfter },
      header: writer.header,
      render: (page: ReadonlyArray<SellerAuditEntry & Listed>) => Effect.sync(() => writer.rows(page)),
      footer: Effect.sync(writer.footer),
    })
    // The log is the account's: its file is named after no mode.
    return fileReply(stream, writer, fileNames[locale])
  })
})

/** Routes of a seller's audit log. */
export const makeSellerAuditHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const audit = yield* SellerAudit
  const cursors = yield* Cursors
  const answerFile = yield* makeAuditFiles(open)

  const handlers: GroupHandlers<typeof sellerAuditGroup> = {
    exportSellerAudit: ({ principal, session, query }) => answerFile(principal, session, query),
    listSellerAudit: Effect.fnUntraced(function* (request) {
      const { query, principal } = request
      const { limit, cursor, ...filters } = query
      const wanted = yield* wantedOf(filters)
      // The log is the account's: both modes show the same.
      const scope = { list: "sellerAudit", principal: { ...principal, mode: "live" as const }, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const found = yield* audit.list(principal.sellerId, { ...wanted, beforeId, limit: pageSize(limit) })
      const csv = isCsvWanted(request.header("accept"))
        ? { columns: sellerColumns, file: "audit-log.csv" }
        : undefined
      return auditReply(found, csv, (position) => cursors.encode(scope, position))
    }),
  }
  return handlers
})
