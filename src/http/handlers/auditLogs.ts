import { Effect } from "effect"
import type { sellerAuditGroup } from "../../../schema/api/sellerAudit.ts"
import { csvLine } from "../../../schema/csv.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { sellerActions } from "../../../schema/sellerActions.ts"
import { type AuditColumns, sellerColumns } from "../../accounts/auditColumns.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { EntriesFound } from "../../store/auditStream.ts"
import type { Reply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { csvReply, isCsvWanted } from "./csvReply.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"

const familyPattern = /\.\*$/

/** Makes the test of an action by its name or its family (`api_key.*`); undefined: any. */
export const actionTest = (wanted: string | undefined): ((action: string) => boolean) => {
  if (wanted === undefined) return () => true
  if (!familyPattern.test(wanted)) return (action) => action === wanted
  const beginning = wanted.slice(0, -1)
  return (action) => action.startsWith(beginning)
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
  "action must be an action of the audit log, or a family such as api_key.*.",
)

/** Routes of a seller's audit log. */
export const makeSellerAuditHandlers = Effect.gen(function* () {
  const audit = yield* SellerAudit
  const cursors = yield* Cursors

  const handlers: GroupHandlers<typeof sellerAuditGroup> = {
    listSellerAudit: Effect.fnUntraced(function* (request) {
      const { query, principal } = request
      const { limit, cursor, ...filters } = query
      const isOfAction = actionTest(query.action)
      if (!Object.keys(sellerActions).some(isOfAction)) return yield* unknownAction
      // The log is the account's: both modes show the same.
      const scope = { list: "sellerAudit", principal: { ...principal, mode: "live" as const }, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const found = yield* audit.list(principal.sellerId, {
        beforeId,
        limit: pageSize(limit),
        ...windowOf(query),
        matches: ({ action, actor }) =>
          isOfAction(action) &&
          (query.actor === undefined || actor.id === query.actor || actor.type === query.actor),
      })
      const csv = isCsvWanted(request.header("accept"))
        ? { columns: sellerColumns, file: "audit-log.csv" }
        : undefined
      return auditReply(found, csv, (position) => cursors.encode(scope, position))
    }),
  }
  return handlers
})
