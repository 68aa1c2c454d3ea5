import { Schema } from "effect"
import { textOrNull, timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { memberRoles } from "../memberRoles.ts"
import { lineOf } from "../text.ts"

/** A user belongs to a seller, or is an operator of the service. */
export const roles = ["seller", "admin"] as const
export type Role = (typeof roles)[number]

const uuid = Schema.String.annotate({ format: "uuid" })

/** A user (`docs/contract/accounts.md#users`); the fields after `refund_limit` are those better-auth's client expects. */
export const User = Schema.Struct({
  id: uuid.annotateKey({ description: "The user's id." }),
  email: Schema.String.annotate({ format: "email" }).annotateKey({
    description: "What the user signs in with.",
  }),
  name: Schema.String.annotateKey({ description: "The user's name." }),
  emailVerified: Schema.Boolean.annotateKey({ description: "Whether the address was confirmed." }),
  role: Schema.Literals(roles).annotateKey({ description: "`admin`: an operator of the service." }),
  seller_id: textOrNull.annotateKey({
    description: "The seller whose team the user is in; null for operators, and for whoever is in none.",
  }),
  seller_role: Schema.NullOr(Schema.Literals(memberRoles)).annotateKey({
    description: "What the user may do in that team; null without one.",
  }),
  refund_limit: Schema.NullOr(Schema.Int).annotateKey({
    description: "The most that one refund by the user may give back, in centavos; null: any amount.",
  }),
  twoFactorEnabled: Schema.Boolean.annotateKey({ description: "Whether sign-ins need a second step." }),
  image: Schema.Null.annotateKey({ description: "Always null." }),
  createdAt: timestamp.annotateKey({ description: "When the user signed up." }),
  updatedAt: timestamp.annotateKey({ description: "When the user last changed." }),
}).annotate({
  identifier: "User",
  examples: [
    {
      id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4",
      email: "ana@example.com",
      name: "Ana Souza",
      emailVerified: true,
      role: "seller",
      seller_id: "sel_01KA0000000700000000000000",
      seller_role: "owner",
      refund_limit: null,
      twoFactorEnabled: true,
      image: null,
      createdAt: "2026-11-21T12:00:00.000Z",
      updatedAt: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type User = typeof User.Type

/** The terms of the service, by their versions (`docs/contract/accounts.md#terms`). */
export const Terms = Schema.Struct({
  version: Schema.String.annotateKey({ description: "The version in force.", examples: ["2026-01-01"] }),
  accepted_version: textOrNull.annotateKey({
    description: "The version that the user accepted; null if it never accepted any.",
    examples: ["2026-01-01"],
  }),
  current_version: Schema.String.annotateKey({
    description: "The same as `version`, which it was called before.",
    examples: ["2026-01-01"],
  }),
}).annotate({
  identifier: "Terms",
  examples: [{ version: "2026-01-01", accepted_version: "2025-07-01", current_version: "2026-01-01" }],
})
export type Terms = typeof Terms.Type

/** The terms in force, for whoever is about to sign up (`docs/contract/accounts.md#terms`). */
export const CurrentTerms = Schema.Struct({
  version: Schema.String.annotateKey({ description: "The version in force.", examples: ["2026-01-01"] }),
  url: textOrNull.annotateKey({
    description: "The page that shows them; null if the service names none.",
    examples: ["https://example.com/terms"],
  }),
}).annotate({
  identifier: "CurrentTerms",
  examples: [{ version: "2026-01-01", url: "https://example.com/terms" }],
})
export type CurrentTerms = typeof CurrentTerms.Type

/** A session as `/v1/me/sessions` lists it; `public_id` is its uuid in the form `ses_…`. */
export const SessionResource = Schema.Struct({
  id: uuid.annotateKey({ description: "The session's id." }),
  public_id: Schema.String.annotateKey({ description: "The same id in the form `ses_…`." }),
  ip_address: textOrNull.annotateKey({ description: "Where it was begun; null if unknown." }),
  user_agent: textOrNull.annotateKey({ description: "The browser it was begun in; null if unknown." }),
  created_at: timestamp.annotateKey({ description: "When it was begun." }),
  expires_at: timestamp.annotateKey({ description: "When it ends." }),
  last_seen_at: timestamp.annotateKey({ description: "When it was last used." }),
  current: Schema.Boolean.annotateKey({ description: "Whether this request was made with it." }),
}).annotate({
  identifier: "Session",
  examples: [
    {
      id: "0a4f4e0c-2d6c-4f5b-8f0e-6a4f1f2b7c3d",
      public_id: "ses_01KA0000000700000000000000",
      ip_address: "203.0.113.7",
      user_agent: "Mozilla/5.0",
      created_at: "2026-11-21T12:00:00.000Z",
      expires_at: "2026-11-22T12:00:00.000Z",
      last_seen_at: "2026-11-21T12:03:00.000Z",
      current: true,
    },
  ],
})
export type SessionResource = typeof SessionResource.Type

/** How a second factor can be given (`docs/contract/accounts.md#second-step`). */
export const secondFactorMethods = ["totp", "passkey"] as const

/** A session as get-session answers it, with better-auth's field names; never its token. */
export const AuthSession = Schema.Struct({
  id: uuid.annotateKey({ description: "The session's id." }),
  userId: uuid.annotateKey({ description: "Its user." }),
  ipAddress: textOrNull.annotateKey({ description: "Where it was begun; null if unknown." }),
  userAgent: textOrNull.annotateKey({ description: "The browser it was begun in; null if unknown." }),
  createdAt: timestamp.annotateKey({ description: "When it was begun." }),
  updatedAt: timestamp.annotateKey({ description: "When it was last used." }),
  expiresAt: timestamp.annotateKey({ description: "When it ends." }),
  twoFactorMethods: Schema.Array(Schema.Literals(secondFactorMethods)).annotateKey({
    description: "What steps it up: `totp` (or a backup code), `passkey`. Empty without 2FA.",
  }),
}).annotate({
  identifier: "AuthSession",
  examples: [
    {
      id: "0a4f4e0c-2d6c-4f5b-8f0e-6a4f1f2b7c3d",
      userId: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4",
      ipAddress: "203.0.113.7",
      userAgent: "Mozilla/5.0",
      createdAt: "2026-11-21T12:00:00.000Z",
      updatedAt: "2026-11-21T12:00:00.000Z",
      expiresAt: "2026-11-22T12:00:00.000Z",
      twoFactorMethods: ["totp", "passkey"],
    },
  ],
})
export type AuthSession = typeof AuthSession.Type

/** The changes that ask for a step-up; withdrawals and Pix keys always do and are not listed. */
export const StepUpPrefs = Schema.Struct({
  webhook: Schema.Boolean.annotateKey({
    description: "Whether changes to webhook endpoints, their secrets and the tracker need a step-up.",
  }),
  account: Schema.Boolean.annotateKey({
    description: "Whether changes to API keys and the seller profile need a step-up.",
  }),
}).annotate({ identifier: "StepUpPrefs", examples: [{ webhook: true, account: true }] })
export type StepUpPrefs = typeof StepUpPrefs.Type

/** A new password (`docs/contract/accounts.md#passwords`). */
export const NewPassword = Schema.String.check(
  Schema.isBetweenCodePoints(limits.passwordLengthMin, limits.passwordLengthMax),
)

/** A password to check, of any length that a stored one may have. */
export const GivenPassword = Schema.String.check(Schema.isBetweenCodePoints(1, limits.passwordLengthMax))

/** A code that was mailed to a user, as typed: its digits, perhaps with spaces. */
export const MailCode = Schema.String.check(Schema.isBetweenCodePoints(1, limits.mailCodeLengthMax))

/** The name of a user or store. */
export const DisplayName = lineOf(1, limits.nameLengthMax)

/** A mailed token as it is sent back; bounded because it is hashed before the lookup. */
export const MailedToken = Schema.String.check(Schema.isBetweenCodePoints(1, limits.mailedTokenLengthMax))

const countOf = (description: string) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotateKey({ description })

/** Numbers for a dashboard's badges (`docs/contract/sellers.md#counters`). */
export const Counters = Schema.Struct({
  webhook_deliveries: Schema.Struct({
    failed_24h: countOf("Attempts that failed in the last 24 hours."),
    dead: countOf("Deliveries that were given up."),
  }).annotateKey({ description: "Webhook deliveries." }),
  pix_keys: Schema.Struct({
    pending_approval: countOf("Pix keys that await an operator."),
  }).annotateKey({ description: "Pix keys." }),
  kyc_status: Schema.Literals(["none", "pending", "approved", "rejected"]).annotateKey({
    description: "The state of the seller's identification.",
  }),
  withdrawals: Schema.Struct({
    awaiting: countOf("Those that await approval."),
    approved: countOf("Those that are approved."),
    rejected: countOf("Those that were rejected."),
    processing: countOf("Those at the bank."),
    successful: countOf("Those that arrived."),
    failed: countOf("Those that failed."),
    cancelled: countOf("Those that the seller cancelled."),
  }).annotateKey({ description: "Withdrawals by status." }),
  transactions: Schema.Struct({
    pending: countOf("Those that can be paid."),
    paid: countOf("Those that are paid."),
    expired: countOf("Those that expired."),
    failed: countOf("Those that failed."),
    refunded: countOf("Those that were refunded."),
    chargeback: countOf("Those that were charged back."),
  }).annotateKey({ description: "Charges by status." }),
  ledger: Schema.Struct({
    entries: countOf("All entries."),
    credits: countOf("Those that added to the balance."),
    debits: countOf("Those that took from it."),
    reserve: countOf("Those that moved the reserve."),
    withdrawals: countOf("Those of withdrawals."),
  }).annotateKey({ description: "Ledger entries." }),
}).annotate({ identifier: "Counters" })
export type Counters = typeof Counters.Type
