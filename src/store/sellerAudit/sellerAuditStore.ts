import { Clock, Effect } from "effect"
import type { SellerAct } from "../../../actors/values/sellerAct.ts"
import type { SellerAuditEntry } from "../../../schema/resources/sellerAudit.ts"
import { type EntriesWanted, entryTime, readPage, readSpan, type StreamEntry } from "../auditStream.ts"
import { callParameters } from "../redis/functionLibrary.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { sellerAuditKey } from "./keys.ts"
import { auditedParameters } from "./runAudited.ts"

/** An act as its stream has it. */
type StoredAct = Pick<SellerAct, "action" | "actor" | "resourceType" | "details"> & {
  readonly resourceId: string
  readonly ipAddress: string | null
}

const readEntry = ({ id, field }: StreamEntry): SellerAuditEntry => {
  const { action, actor, ipAddress, resourceType, resourceId, details } = JSON.parse(
    field("act"),
  ) as StoredAct
  return {
    ...{ id, at: entryTime(id), actor, ip_address: ipAddress, action },
    ...{ resource_type: resourceType, resource_id: resourceId, details },
  }
}

/** Makes the store of sellers' audit logs (docs/contract/audit-log.md). */
export const makeSellerAuditStore = Effect.gen(function* () {
  const client = yield* RedisClient
  const { retentionMillis } = yield* StoreOptions

  /** Trimming leaves a node of entries that are older: nobody is shown them. */
  const kept = <Wanted extends { readonly fromMillis?: number | undefined }>(wanted: Wanted) =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
      ...wanted,
      fromMillis: Math.max(wanted.fromMillis ?? 0, nowMillis - retentionMillis),
    }))

  return {
    /** How long entries are kept. */
    keptMillis: retentionMillis,
    /** Appends an act whose effect lies elsewhere. */
    append: (act: SellerAct) => Effect.asVoid(callParameters(client, auditedParameters(act))),
    /** A page, newest first. */
    list: (sellerId: string, wanted: EntriesWanted<SellerAuditEntry>) =>
      Effect.flatMap(kept(wanted), readPage(client, sellerAuditKey(sellerId), readEntry)),
    /** A stretch, oldest first. */
    span: (sellerId: string, wanted: Parameters<ReturnType<typeof readSpan>>[0]) =>
      Effect.flatMap(kept(wanted), readSpan(client, sellerAuditKey(sellerId), readEntry)),
  }
})
