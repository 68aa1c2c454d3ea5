import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { timestamp } from "../fields.ts"
import { rolesFor } from "../memberRoles.ts"
import {
  Counters,
  DisplayName,
  GivenPassword,
  MailCode,
  MailedToken,
  NewPassword,
  SessionResource,
  StepUpPrefs,
  Terms,
  User,
} from "../resources/account.ts"
import { Brand, BrandInput } from "../resources/brand.ts"
import { SavedViews } from "../resources/savedViews.ts"
import { SellerProfile } from "../resources/seller.ts"
import { TaxDocument } from "../resources/transaction.ts"
import { idParams, listOf, Status } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth, UserAuth } from "./security.ts"

const browser = ["session_required", "origin_not_allowed"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const password = GivenPassword.annotateKey({ description: "The user's password." })
const backupCodes = Schema.Array(Schema.String).annotateKey({
  description: "Codes that stand in for the app, each once; shown only this once.",
  examples: [["a1b2c-3d4e5", "f6g7h-8i9j0"]],
})
const WithPassword = Schema.Struct({ password }).annotate({
  identifier: "WithPassword",
  examples: [{ password: "correct horse battery staple" }],
})

/** Name, second factor, password and step-up of any user, operators included. */
export const securityGroup = HttpApiGroup.make("security")
  .add(
    route.post("enableTwoFactor", "/v1/me/auth/two-factor/enable", {
      summary:
        "Start enabling 2FA; verify-totp completes it, and locks withdrawals for 24 h where a mailed code was needed",
      payload: Schema.Struct({
        password,
        method: Schema.optionalKey(Schema.Literals(["totp", "otp"])).annotateKey({
          description: "`otp` is accepted and answered with `totp`.",
        }),
        mail_code: Schema.optionalKey(MailCode).annotateKey({
          description:
            "The code that was mailed to the user. Later than 15 minutes after sign-up it is required, and leaving it out mails one.",
        }),
      }).annotate({
        identifier: "EnableTwoFactor",
        examples: [{ password: "correct horse battery staple" }],
      }),
      success: Schema.Struct({
        method: Schema.Literal("totp").annotateKey({ description: "The kind of second factor." }),
        totpURI: Schema.String.annotateKey({
          description: "What the authenticator app reads, usually as a QR code.",
          examples: ["otpauth://totp/Corrente:ana%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Corrente"],
        }),
        backupCodes,
      }),
      errors: [
        ...body,
        ...browser,
        "invalid_credentials",
        "invalid_mfa_code",
        "mail_code_required",
        "permission_denied",
        "invalid_state",
        "rate_limited",
      ],
    }),
    route.post("disableTwoFactor", "/v1/me/auth/two-factor/disable", {
      summary: "Disable 2FA, after a step-up; all sessions end, withdrawals lock for 24 h",
      payload: WithPassword,
      success: Status,
      errors: [
        ...body,
        ...browser,
        "invalid_credentials",
        "mfa_required",
        "permission_denied",
        "invalid_state",
        "rate_limited",
      ],
    }),
    route.post("generateBackupCodes", "/v1/me/auth/two-factor/generate-backup-codes", {
      summary: "Replace the backup codes, after a step-up",
      payload: WithPassword,
      success: Schema.Struct({ backupCodes }),
      errors: [...body, ...browser, "invalid_credentials", "mfa_required", "invalid_state", "rate_limited"],
    }),
    route.post("changePassword", "/v1/me/auth/change-password", {
      summary: "Change the password, and end other sessions on request",
      payload: Schema.Struct({
        currentPassword: GivenPassword.annotateKey({ description: "The password until now." }),
        newPassword: NewPassword.annotateKey({ description: "The password from now on." }),
        revokeOtherSessions: Schema.optionalKey(Schema.Boolean).annotateKey({
          description:
            "Whether all other sessions end; this one then continues under a new token, which only its cookie holds.",
        }),
      }).annotate({
        identifier: "ChangePassword",
        examples: [
          {
            currentPassword: "correct horse battery staple",
            newPassword: "four words drawn by dice",
            revokeOtherSessions: true,
          },
        ],
      }),
      success: Schema.Struct({
        token: Schema.Null.annotateKey({ description: "Always null: only the cookie has the token." }),
        user: User.annotateKey({ description: "The user, as it is now." }),
      }),
      errors: [...body, ...browser, "invalid_credentials", "rate_limited"],
    }),
    route.post("updateUser", "/v1/me/auth/update-user", {
      summary: "Change your own name",
      payload: Schema.Struct({
        name: DisplayName.annotateKey({ description: "The user's name; the store keeps its own." }),
      }).annotate({ identifier: "UpdateUser", examples: [{ name: "Ana Souza" }] }),
      success: Status,
      errors: [...body, ...browser],
    }),
    route.post("stepUp", "/v1/me/auth/step-up", {
      summary: "Confirm your identity before sensitive changes",
      payload: Schema.Struct({
        code: Schema.optionalKey(Schema.String).annotateKey({
          description: "A code from the authenticator app, or a backup code.",
        }),
        password: Schema.optionalKey(GivenPassword).annotateKey({
          description: "If sent, it must match as well.",
        }),
      }).annotate({ identifier: "StepUp", examples: [{ code: "123456" }] }),
      success: Schema.Struct({
        mfa_verified_until: timestamp.annotateKey({ description: "Until when sensitive changes are open." }),
      }),
      errors: [
        ...body,
        ...browser,
        "invalid_mfa_code",
        "invalid_credentials",
        "mfa_required",
        "rate_limited",
      ],
    }),
    route.get("getStepUpPrefs", "/v1/me/security/step-up-prefs", {
      summary: "The changes that ask for a step-up",
      success: StepUpPrefs,
      errors: ["session_required"],
    }),
    route.put("putStepUpPrefs", "/v1/me/security/step-up-prefs", {
      summary: "Set the changes that ask for a step-up",
      stepUp: "always",
      payload: Schema.Struct({
        webhook: Schema.optionalKey(Schema.Boolean).annotateKey({
          description: "Whether changes to webhook endpoints, their secrets and the tracker need a step-up.",
        }),
        account: Schema.optionalKey(Schema.Boolean).annotateKey({
          description: "Whether changes to API keys and the seller profile need a step-up.",
        }),
      }).annotate({ identifier: "StepUpPrefsPatch", examples: [{ webhook: true, account: false }] }),
      success: StepUpPrefs,
      errors: [...body, ...browser, "mfa_required"],
    }),
  )
  .middleware(UserAuth)
  .annotate(OpenApi.Description, "A user's name, second factor, password and step-ups.")

/** Sessions and terms of any user. */
export const sessionsGroup = HttpApiGroup.make("sessions")
  .add(
    route.get("getTerms", "/v1/me/terms", {
      summary: "The current terms, and those that you accepted",
      success: Terms,
      errors: ["session_required"],
    }),
    route.post("acceptTerms", "/v1/me/terms/accept", {
      summary: "Accept the current terms",
      payload: Schema.Struct({
        version: Schema.String.check(Schema.isBetweenCodePoints(1, 64)).annotateKey({
          description: "The version that was shown.",
        }),
      }).annotate({
        identifier: "AcceptTerms",
        examples: [{ version: "2026-01-01" }],
      }),
      success: HttpApiSchema.NoContent,
      errors: [...body, ...browser],
    }),
    route.post("acceptTeamInvite", "/v1/me/auth/team-invites/accept", {
      summary: "Join the team that invited you",
      payload: Schema.Struct({
        token: MailedToken.annotateKey({ description: "The token of the mailed link." }),
      }).annotate({ identifier: "AcceptTeamInvite", examples: [{ token: "the-token-of-the-mail" }] }),
      success: Schema.Struct({ user: User.annotateKey({ description: "The user, as it is now." }) }),
      errors: [...body, ...browser, "permission_denied", "invalid_state", "rate_limited"],
    }),
    route.get("listSessions", "/v1/me/sessions", {
      summary: "Your sessions, newest first",
      success: listOf(SessionResource),
      errors: ["session_required"],
    }),
    route.post("revokeOtherSessions", "/v1/me/auth/revoke-other-sessions", {
      summary: "End all your other sessions, after a step-up",
      stepUp: "always",
      success: Status,
      errors: [...browser, "mfa_required"],
    }),
    route.delete("deleteSession", "/v1/me/sessions/:id", {
      summary: "End a session, by its uuid or its `ses_` id; another one than this after a step-up",
      params: idParams,
      success: HttpApiSchema.NoContent,
      errors: [...browser, "mfa_required", "resource_not_found"],
    }),
  )
  .middleware(UserAuth)
  .annotate(OpenApi.Description, "A user's sessions and accepted terms.")

/** The seller behind a session. */
export const sellerGroup = HttpApiGroup.make("seller")
  .add(
    route.get("getSeller", "/v1/me/seller", {
      roles: rolesFor.reading,
      summary: "The seller profile",
      success: SellerProfile,
      errors: ["session_required", "permission_denied"],
    }),
    route.patch("patchSeller", "/v1/me/seller", {
      roles: rolesFor.owning,
      summary: "Change the seller profile; a document can be set only if there is none",
      stepUp: "account",
      payload: Schema.Struct({
        name: Schema.optionalKey(DisplayName).annotateKey({ description: "The store's name." }),
        document: Schema.optionalKey(TaxDocument).annotateKey({
          description: "CPF or CNPJ, with or without punctuation.",
        }),
      }).annotate({ identifier: "SellerPatch", examples: [{ name: "Loja da Ana" }] }),
      success: SellerProfile,
      errors: [...body, ...browser, "permission_denied", "mfa_required", "invalid_state"],
    }),
    route.post("submitKyc", "/v1/me/kyc", {
      roles: rolesFor.owning,
      summary: "Submit the seller's identification; an operator decides",
      stepUp: "account",
      payload: Schema.Struct({
        document: TaxDocument.annotateKey({ description: "CPF or CNPJ, with or without punctuation." }),
        legal_name: DisplayName.annotateKey({ description: "The name that the document belongs to." }),
      }).annotate({
        identifier: "Kyc",
        examples: [{ document: "11.222.333/0001-81", legal_name: "Ana Souza Comércio Ltda" }],
      }),
      success: SellerProfile,
      errors: [...body, ...browser, "permission_denied", "mfa_required", "invalid_state"],
    }),
    route.get("getBrand", "/v1/me/brand", {
      roles: rolesFor.reading,
      summary: "What payers see of the seller: logo, colour and name",
      success: Brand,
      errors: ["session_required", "permission_denied"],
    }),
    route.put("putBrand", "/v1/me/brand", {
      roles: rolesFor.owning,
      summary: "Set what payers see of the seller: logo, colour and name",
      stepUp: "account",
      payload: BrandInput,
      success: Brand,
      errors: [...body, ...browser, "permission_denied", "mfa_required"],
    }),
    route.get("getSavedViews", "/v1/me/views", {
      roles: rolesFor.reading,
      summary: "The filters of charges that the user has saved",
      success: SavedViews,
      errors: ["session_required", "permission_denied"],
    }),
    route.put("putSavedViews", "/v1/me/views", {
      roles: rolesFor.reading,
      summary: "Set the filters of charges that the user has saved",
      payload: SavedViews,
      success: SavedViews,
      errors: [...body, ...browser, "permission_denied"],
    }),
    route.get("getCounters", "/v1/me/counters", {
      roles: rolesFor.reading,
      summary: "Numbers for badges, up to 10 s old",
      success: Counters,
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "The seller behind a session.")
