import { Clock, Effect, Schema } from "effect"
import { asAct, type SellerAct } from "../../actors/values/sellerAct.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import { type EntriesWanted, entryTime, readPage, readSpan, type StreamEntry } from "./auditStream.ts"
import { sellerAuditKey } from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { StoreOptions } from "./storeOptions.ts"

const { actor, action, details, resource_id, resource_type, ip_address } = SellerAuditEntry.fields
/** An act as its stream has it. */
const parseAct = storedReader(
  "act",
  Schema.Struct({
    actor,
    action,
    details,
    resourceId: resource_id,
    resourceType: resource_type,
    ipAddress: ip_address,
  }),
)

const appendFunction = luaFunction("seller_audit.append", { keys: [], audited: { replies: ["appended"] } })

const readEntry = ({ id, field }: StreamEntry): SellerAuditEntry => {
  const { action, actor, ipAddress, resourceType, resourceId, details } = parseAct(field("act"))
  return {
    id,
    at: entryTime(id),
    actor,
    ip_address: ipAddress,
    action,
    resource_type: resourceType,
    resource_id: resourceId,
    details,
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
    append: (act: SellerAct) => Effect.asVoid(asAct(act, callFunction(client, appendFunction, {}))),
    /** A page, newest first. */
    list: (sellerId: string, wanted: EntriesWanted<SellerAuditEntry>) =>
      Effect.flatMap(kept(wanted), readPage(client, sellerAuditKey(sellerId), readEntry)),
    /** A stretch, oldest first. */
    span: (sellerId: string, wanted: Parameters<ReturnType<typeof readSpan>>[0]) =>
      Effect.flatMap(kept(wanted), readSpan(client, sellerAuditKey(sellerId), readEntry)),
  }
})
