import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { AuditEntry } from "../../../schema/resources/operator.ts"
import { operatorLogKey } from "../keys.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"

/** An operator's action, about to be taken. */
export interface Act {
  /** The operator's user id; undefined for a command line. */
  readonly operatorId: string | undefined
  /** For example `seller.kyc_approved` or `invite.created`. */
  readonly action: string
  readonly resourceType: string
  readonly resourceId: string
  /** The request's parameters, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A page of actions, newest first. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /** The next page has ids below this one; undefined at the end. */
  readonly nextBeforeId: string | undefined
}

const readEntry = (reply: Reply): AuditEntry => {
  const [id = "", values] = reply as readonly [string, ReadonlyArray<string>]
  const field = (name: string): string => values[values.indexOf(name) + 1] ?? ""
  return {
    id,
    action: field("action"),
    operator_id: field("operator") || null,
    resource_type: field("resource_type"),
    resource_id: field("resource_id"),
    details: JSON.parse(field("details")) as AuditEntry["details"],
    created_at: new Date(Number.parseInt(id, 10)).toISOString(),
  }
}

/** Makes the store of operators' actions (docs/contract/admin.md#audit-log). */
export const makeOperatorLogStore = Effect.map(RedisClient, (client) => ({
  /** Appends an action, and returns the entry's id. */
  append: (act: Act) =>
    Effect.map(
      client.call("XADD", [
        ...[operatorLogKey, "MAXLEN", "~", limits.auditEntriesMax, "*"],
        ...["action", act.action, "operator", act.operatorId ?? ""],
        ...["resource_type", act.resourceType, "resource_id", act.resourceId],
        ...["details", JSON.stringify(act.details)],
      ]),
      String,
    ),
  list: Effect.fnUntraced(function* (page: {
    readonly beforeId: string | undefined
    readonly limit: number
  }) {
    const end = page.beforeId === undefined ? "+" : `(${page.beforeId}`
    // One entry more than the page shows whether another page follows.
    const reply = yield* client.call("XREVRANGE", [operatorLogKey, end, "-", "COUNT", page.limit + 1])
    const found = ((reply ?? []) as ReadonlyArray<Reply>).map(readEntry)
    const entries = found.slice(0, page.limit)
    const answer: AuditPage = {
      entries,
      nextBeforeId: found.length > page.limit ? entries[entries.length - 1]?.id : undefined,
    }
    return answer
  }),
}))
