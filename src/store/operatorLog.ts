import { Clock, Effect } from "effect"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import { limits } from "../../schema/limits.ts"
import { AuditEntry } from "../../schema/resources/operator.ts"
import { entryTime, readPage, readSpan, type StreamEntry } from "./auditStream.ts"
import { operatorLogKey } from "./keys.ts"
import { RedisClient } from "./redis/redisClient.ts"

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
  /** Where it came from; undefined if unknown. */
  readonly ipAddress?: string | undefined
}

const parseDetails = storedReader("operator's act", AuditEntry.fields.details)

const readEntry = ({ id, field }: StreamEntry): AuditEntry => ({
  id,
  action: field("action"),
  operator_id: field("operator") || null,
  resource_type: field("resource_type"),
  resource_id: field("resource_id"),
  details: parseDetails(field("details")),
  created_at: entryTime(id),
  ...(field("ip") === "" ? {} : { ip_address: field("ip") }),
})

/** Makes the store of operators' actions (docs/contract/admin.md#audit-log). */
export const makeOperatorLogStore = Effect.map(RedisClient, (client) => ({
  /** Appends an action, and returns the entry's id. Those older than `operatorLogKeptMillis` go, by whole nodes of the stream. */
  append: (act: Act) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      Effect.map(
        client.call("XADD", [
          ...[operatorLogKey, "MINID", "~", Math.max(nowMillis - limits.operatorLogKeptMillis, 0), "*"],
          ...["action", act.action, "operator", act.operatorId ?? ""],
          ...["resource_type", act.resourceType, "resource_id", act.resourceId],
          ...["details", JSON.stringify(act.details)],
          ...(act.ipAddress ? ["ip", act.ipAddress] : []),
        ]),
        String,
      ),
    ),
  /** A page, newest first. */
  list: readPage(client, operatorLogKey, readEntry),
  /** A stretch, oldest first. */
  span: readSpan(client, operatorLogKey, readEntry),
}))
