import { Schema } from "effect"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** A user belongs to a seller, or is an operator of the service. */
export const roles = ["seller", "admin"] as const
export type Role = (typeof roles)[number]

/** A user (`docs/contract/accounts.md#users`); the fields after `seller_id` are those better-auth's client expects. */
export const User = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  email: Schema.String.annotate({ format: "email" }),
  name: Schema.String,
  emailVerified: Schema.Boolean,
  role: Schema.Literals(roles),
  seller_id: Schema.NullOr(Schema.String),
  twoFactorEnabled: Schema.Boolean,
  image: Schema.Null,
  createdAt: timestamp,
  updatedAt: timestamp,
}).annotate({ identifier: "User" })
export type User = typeof User.Type

/** A session as `/v1/me/sessions` lists it; `public_id` is its uuid in the form `ses_…`. */
export const SessionResource = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  public_id: Schema.String,
  ip_address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  created_at: timestamp,
  expires_at: timestamp,
  last_seen_at: timestamp,
  current: Schema.Boolean.annotateKey({ description: "Whether this request was made with it." }),
}).annotate({ identifier: "Session" })
export type SessionResource = typeof SessionResource.Type

/** A session as get-session answers it, with better-auth's field names; never its token. */
export const AuthSession = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  userId: Schema.String.annotate({ format: "uuid" }),
  ipAddress: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: timestamp,
  updatedAt: timestamp,
  expiresAt: timestamp,
}).annotate({ identifier: "AuthSession" })
export type AuthSession = typeof AuthSession.Type

/** The changes that ask for a step-up; withdrawals and PIX keys always do and are not listed. */
export const StepUpPrefs = Schema.Struct({
  webhook: Schema.Boolean.annotateKey({
    description: "Whether changes to webhook endpoints, their secrets and the tracker need a step-up.",
  }),
  account: Schema.Boolean.annotateKey({
    description: "Whether changes to API keys and the seller profile need a step-up.",
  }),
}).annotate({
  identifier: "StepUpPrefs",
})
export type StepUpPrefs = typeof StepUpPrefs.Type

/** A new password (`docs/contract/accounts.md#passwords`). */
export const NewPassword = Schema.String.check(
  Schema.isBetweenCodePoints(limits.passwordLengthMin, limits.passwordLengthMax),
)

/** A password to check, of any length that a stored one may have. */
export const GivenPassword = Schema.String.check(Schema.isBetweenCodePoints(1, limits.passwordLengthMax))

/** The name of a user or store. */
export const DisplayName = lineOf(1, limits.nameLengthMax)

/** A mailed token as it is sent back; bounded because it is hashed before the lookup. */
export const MailedToken = Schema.String.check(Schema.isBetweenCodePoints(1, limits.mailedTokenLengthMax))

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Numbers for a dashboard's badges (`docs/contract/sellers.md#counters`). */
export const Counters = Schema.Struct({
  webhook_deliveries: Schema.Struct({ failed_24h: count, dead: count }),
  pix_keys: Schema.Struct({ pending_approval: count }),
  kyc_status: Schema.Literals(["none", "pending", "approved", "rejected"]),
  withdrawals: Schema.Struct({
    awaiting: count,
    approved: count,
    rejected: count,
    processing: count,
    successful: count,
    failed: count,
    cancelled: count,
  }),
  transactions: Schema.Struct({
    pending: count,
    paid: count,
    expired: count,
    failed: count,
    refunded: count,
    chargeback: count,
  }),
  ledger: Schema.Struct({
    entries: count,
    credits: count,
    debits: count,
    reserve: count,
    withdrawals: count,
  }),
}).annotate({ identifier: "Counters" })
export type Counters = typeof Counters.Type
