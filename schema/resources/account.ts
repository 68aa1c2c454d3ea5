import { Schema } from "effect"
import { limits } from "../limits.ts"
import { lineOf } from "../text.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })

/** Who a user is to us: a seller's user, or an operator of ours (decisions 4). */
export const roles = ["seller", "admin"] as const
export type Role = (typeof roles)[number]

/** A user (spec 2); the fields below `seller_id` are those that better-auth's client knows besides (decisions 4). */
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

/** A session as `/v1/me/sessions` lists it (spec 2); `public_id` is the uuid in its `ses_` form (decisions 4). */
export const SessionResource = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  public_id: Schema.String,
  ip_address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  created_at: timestamp,
  expires_at: timestamp,
  last_seen_at: timestamp,
  current: Schema.Boolean,
}).annotate({ identifier: "Session" })
export type SessionResource = typeof SessionResource.Type

/** A session as get-session answers it, in better-auth's names; never its token (spec 2). */
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

/** Which changes ask for a step-up (spec 4.6); withdrawals and PIX keys always do and are not listed. */
export const StepUpPrefs = Schema.Struct({ webhook: Schema.Boolean, account: Schema.Boolean }).annotate({
  identifier: "StepUpPrefs",
})
export type StepUpPrefs = typeof StepUpPrefs.Type

/** A password to be set (spec 8, decisions 4). */
export const NewPassword = Schema.String.check(
  Schema.isBetweenCodePoints(limits.passwordLengthMin, limits.passwordLengthMax),
)

/** A password to be compared: any length that ours may have. */
export const GivenPassword = Schema.String.check(Schema.isBetweenCodePoints(1, limits.passwordLengthMax))

/** A user's or a store's name. */
export const DisplayName = lineOf(1, limits.nameLengthMax)

/** A mailed token as it comes back: bounded, since it is hashed before it is looked up. */
export const MailedToken = Schema.String.check(Schema.isBetweenCodePoints(1, limits.mailedTokenLengthMax))

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a dashboard shows as badges (spec 2); up to 10 s old (spec 4.6). */
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
