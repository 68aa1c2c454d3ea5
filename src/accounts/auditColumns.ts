import type { AuditEntry } from "../../schema/resources/operator.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"

/** How entries of an audit log are written as CSV. */
export interface AuditColumns<Entry> {
  readonly names: ReadonlyArray<string>
  readonly valuesOf: (entry: Entry) => ReadonlyArray<string | null>
}

/** The operators' log as CSV. */
export const operatorColumns: AuditColumns<AuditEntry> = {
  names: [
    ...["id", "created_at", "operator_id", "ip_address", "action"],
    ...["resource_type", "resource_id", "details"],
  ],
  valuesOf: ({ id, created_at, operator_id, ip_address = null, action, ...rest }) => [
    ...[id, created_at, operator_id, ip_address, action],
    ...[rest.resource_type, rest.resource_id, JSON.stringify(rest.details)],
  ],
}

/** A seller's audit log as CSV. */
export const sellerColumns: AuditColumns<SellerAuditEntry> = {
  names: [
    ...["id", "at", "actor_type", "actor_id", "actor_name", "ip_address", "action"],
    ...["resource_type", "resource_id", "details"],
  ],
  valuesOf: ({ id, at, actor, ip_address, action, resource_type, resource_id, details }) => [
    ...[id, at, actor.type, actor.id, actor.name, ip_address, action],
    ...[resource_type, resource_id, JSON.stringify(details)],
  ],
}
