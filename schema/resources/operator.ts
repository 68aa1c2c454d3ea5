import { Schema } from "effect"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** States of an invite. */
export const inviteStatuses = ["pending", "used", "revoked", "expired"] as const

/** An invite to sign up. Its token is only mailed. */
export const Invite = Schema.Struct({
  id: Schema.String,
  email: Schema.String.annotate({ format: "email" }),
  status: Schema.Literals(inviteStatuses),
  created_at: timestamp,
  expires_at: timestamp,
  used_at: Schema.NullOr(timestamp),
  revoked_at: Schema.NullOr(timestamp),
}).annotate({ identifier: "Invite" })
export type Invite = typeof Invite.Type

/** One act of an operator. */
export const AuditEntry = Schema.Struct({
  id: Schema.String,
  action: Schema.String,
  operator_id: Schema.NullOr(Schema.String),
  resource_type: Schema.String,
  resource_id: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown),
  created_at: timestamp,
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type
