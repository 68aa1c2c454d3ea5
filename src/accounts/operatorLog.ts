import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { limits } from "../../schema/limits.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { auditKey } from "../store/keys.ts"
import { RedisClient, type Reply } from "../store/redis/redisClient.ts"

/** One act of an operator, about to be made. */
export interface Act {
  /** The operator's user id; undefined for an act by the command line. */
  readonly operatorId: string | undefined
  /** What is done, as `seller.kyc_approved` or `invite.created`. */
  readonly action: string
  readonly resourceType: string
  readonly resourceId: string
  /** What was asked for; no secrets. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A page of acts, newest first. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /** The id that the next page begins below; undefined at the end. */
  readonly nextBeforeId: string | undefined
}

/**
 * What operators did, in the stream `audit` (decisions 4). An act is appended after its checks and before it is made:
 * where the process dies in between, one act too many is told of, and never one too few.
 */
export class Audit extends Context.Service<
  Audit,
  {
    readonly append: (act: Act) => Effect.Effect<void, StoreUnavailable>
    readonly list: (page: {
      readonly beforeId: string | undefined
      readonly limit: number
    }) => Effect.Effect<AuditPage, StoreUnavailable>
  }
>()("corrente/accounts/Audit") {}

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

export const AuditLive = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const client = yield* RedisClient
    return Audit.of({
      append: (act) =>
        Effect.asVoid(
          client.call("XADD", [
            ...[auditKey, "MAXLEN", "~", limits.auditEntriesMax, "*"],
            ...["action", act.action, "operator", act.operatorId ?? ""],
            ...["resource_type", act.resourceType, "resource_id", act.resourceId],
            ...["details", JSON.stringify(act.details)],
          ]),
        ),
      list: Effect.fnUntraced(function* ({ beforeId, limit }) {
        const end = beforeId === undefined ? "+" : `(${beforeId}`
        // One more than the page says whether another follows.
        const reply = yield* client.call("XREVRANGE", [auditKey, end, "-", "COUNT", limit + 1])
        const entries = ((reply ?? []) as ReadonlyArray<Reply>).map(readEntry)
        const page = entries.slice(0, limit)
        return {
          entries: page,
          nextBeforeId: entries.length > limit ? page[page.length - 1]?.id : undefined,
        }
      }),
    })
  }),
)
