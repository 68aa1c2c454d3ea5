import { Schema } from "effect"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { inviteStatuses, userStatuses } from "../names.ts"
import { roles } from "./account.ts"

export { inviteStatuses } from "../names.ts"

/** An invite to sign up. Its token is only mailed. */
export const Invite = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The invite's id." }),
  email: Schema.String.annotate({ format: "email" }).annotateKey({ description: "Who is invited." }),
  status: Schema.Literals(inviteStatuses).annotateKey({ description: "Whether it can still be used." }),
  created_at: timestamp.annotateKey({ description: "When it was mailed." }),
  expires_at: timestamp.annotateKey({ description: "Until when it can be used." }),
  used_at: timestampOrNull.annotateKey({ description: "When it was used; null before." }),
  revoked_at: timestampOrNull.annotateKey({ description: "When it was revoked; null if it was not." }),
}).annotate({
  identifier: "Invite",
  examples: [
    {
      id: "inv_01KA0000000700000000000000",
      email: "ana@example.com",
      status: "pending",
      created_at: "2026-11-21T12:00:00.000Z",
      expires_at: "2026-11-28T12:00:00.000Z",
      used_at: null,
      revoked_at: null,
    },
  ],
})
export type Invite = typeof Invite.Type

/** A user as operators see it, without secrets. */
export const OperatorUser = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }).annotateKey({ description: "The user's id." }),
  email: Schema.String.annotate({ format: "email" }).annotateKey({
    description: "What the user signs in with.",
  }),
  name: Schema.String.annotateKey({ description: "The user's name." }),
  role: Schema.Literals(roles).annotateKey({ description: "`admin`: an operator of the service." }),
  seller_id: textOrNull.annotateKey({ description: "The user's seller; null for operators." }),
  status: Schema.Literals(userStatuses).annotateKey({
    description: "`disabled`: nobody can sign in as this user.",
  }),
  disabled_at: timestampOrNull.annotateKey({ description: "Since when it is disabled; null if it is not." }),
  two_factor_enabled: Schema.Boolean.annotateKey({ description: "Whether sign-ins need a second step." }),
  created_at: timestamp.annotateKey({ description: "When the user signed up." }),
}).annotate({
  identifier: "OperatorUser",
  examples: [
    {
      id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4",
      email: "ana@example.com",
      name: "Ana Souza",
      role: "seller",
      seller_id: "sel_01KA0000000700000000000000",
      status: "disabled",
      disabled_at: "2026-11-22T12:00:00.000Z",
      two_factor_enabled: true,
      created_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type OperatorUser = typeof OperatorUser.Type

/** One act of an operator. */
export const AuditEntry = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The entry's id." }),
  action: Schema.String.annotateKey({ description: "What was done, such as `withdrawal.approved`." }),
  operator_id: textOrNull.annotateKey({ description: "The operator's user id; null for the command line." }),
  resource_type: Schema.String.annotateKey({ description: "The kind of resource it was done to." }),
  resource_id: Schema.String.annotateKey({ description: "The resource it was done to." }),
  details: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "The request, without secrets.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was about to be done." }),
  ip_address: Schema.optionalKey(Schema.String).annotateKey({
    description: "Where it came from; absent for the command line, and where it is unknown.",
  }),
}).annotate({
  identifier: "AuditEntry",
  examples: [
    {
      id: "1795262400000-0",
      action: "seller.kyc_approved",
      operator_id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4",
      resource_type: "seller",
      resource_id: "sel_01KA0000000700000000000000",
      details: { status: "approved" },
      created_at: "2026-11-21T12:00:00.000Z",
      ip_address: "203.0.113.77",
    },
  ],
})
export type AuditEntry = typeof AuditEntry.Type
