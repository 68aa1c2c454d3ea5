import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  Counters,
  DisplayName,
  GivenPassword,
  NewPassword,
  SessionResource,
  StepUpPrefs,
  User,
} from "../resources/account.ts"
import { SellerProfile } from "../resources/seller.ts"
import { TaxDocument } from "../resources/transaction.ts"
import { errorsOf, idParams } from "./common.ts"
import { SellerAuth, StepUp, UserAuth } from "./security.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const browser = ["session_required", "origin_not_allowed"] as const
const body = ["validation_failed", "length_required", "payload_too_large", "unsupported_media_type"] as const

const WithPassword = Schema.Struct({ password: GivenPassword }).annotate({ identifier: "WithPassword" })

/** A user's second factor and step-ups (spec 4.6): any user has them, operators too. */
export const securityGroup = HttpApiGroup.make("security")
  .add(
    HttpApiEndpoint.post("enableTwoFactor", "/v1/me/auth/two-factor/enable", {
      disableCodecs: true,
      payload: Schema.Struct({
        password: GivenPassword,
        method: Schema.optionalKey(Schema.Literals(["totp", "otp"])),
      }).annotate({ identifier: "EnableTwoFactor" }),
      success: Schema.Struct({
        method: Schema.Literal("totp"),
        totpURI: Schema.String,
        backupCodes: Schema.Array(Schema.String),
      }),
      error: errorsOf(...body, ...browser, "invalid_credentials", "invalid_state", "rate_limited"),
    }).annotate(OpenApi.Summary, "Begin to turn 2FA on; verify-totp completes it"),
    HttpApiEndpoint.post("disableTwoFactor", "/v1/me/auth/two-factor/disable", {
      disableCodecs: true,
      payload: WithPassword,
      success: Schema.Struct({ status: Schema.Boolean }),
      error: errorsOf(
        ...body,
        ...browser,
        "invalid_credentials",
        "mfa_required",
        "invalid_state",
        "rate_limited",
      ),
    }).annotate(
      OpenApi.Summary,
      "Turn 2FA off, after a step-up; all sessions end, withdrawals lock for 24 h",
    ),
    HttpApiEndpoint.post("generateBackupCodes", "/v1/me/auth/two-factor/generate-backup-codes", {
      disableCodecs: true,
      payload: WithPassword,
      success: Schema.Struct({ backupCodes: Schema.Array(Schema.String) }),
      error: errorsOf(
        ...body,
        ...browser,
        "invalid_credentials",
        "mfa_required",
        "invalid_state",
        "rate_limited",
      ),
    }).annotate(OpenApi.Summary, "New backup codes, after a step-up; the old ones end"),
    HttpApiEndpoint.post("changePassword", "/v1/me/auth/change-password", {
      disableCodecs: true,
      payload: Schema.Struct({
        currentPassword: GivenPassword,
        newPassword: NewPassword,
        revokeOtherSessions: Schema.optionalKey(Schema.Boolean),
      }).annotate({ identifier: "ChangePassword" }),
      success: Schema.Struct({ token: Schema.Null, user: User }),
      error: errorsOf(...body, ...browser, "invalid_credentials", "rate_limited"),
    }).annotate(OpenApi.Summary, "Change the password; other sessions end where that is asked"),
    HttpApiEndpoint.post("stepUp", "/v1/me/auth/step-up", {
      disableCodecs: true,
      payload: Schema.Struct({
        code: Schema.optionalKey(Schema.String),
        password: Schema.optionalKey(GivenPassword),
      }).annotate({ identifier: "StepUp" }),
      success: Schema.Struct({ mfa_verified_until: timestamp }),
      error: errorsOf(
        ...body,
        ...browser,
        "invalid_mfa_code",
        "invalid_credentials",
        "mfa_required",
        "rate_limited",
      ),
    }).annotate(OpenApi.Summary, "Confirm who you are, for the next minutes' sensitive changes"),
    HttpApiEndpoint.get("getStepUpPrefs", "/v1/me/security/step-up-prefs", {
      disableCodecs: true,
      success: StepUpPrefs,
      error: errorsOf("session_required"),
    }).annotate(OpenApi.Summary, "Which changes ask for a step-up"),
    HttpApiEndpoint.put("putStepUpPrefs", "/v1/me/security/step-up-prefs", {
      disableCodecs: true,
      payload: Schema.Struct({
        webhook: Schema.optionalKey(Schema.Boolean),
        account: Schema.optionalKey(Schema.Boolean),
      }).annotate({ identifier: "StepUpPrefsPatch" }),
      success: StepUpPrefs,
      error: errorsOf(...body, ...browser, "mfa_required"),
    })
      .annotate(OpenApi.Summary, "Change which changes ask for a step-up")
      .annotate(StepUp, "always"),
  )
  .middleware(UserAuth)
  .annotate(OpenApi.Description, "A user's second factor and confirmations.")

/** A user's sessions and terms (spec 4.6). */
export const sessionsGroup = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post("acceptTerms", "/v1/me/terms/accept", {
      disableCodecs: true,
      payload: Schema.Struct({ version: Schema.String.check(Schema.isBetweenCodePoints(1, 64)) }).annotate({
        identifier: "AcceptTerms",
      }),
      success: HttpApiSchema.NoContent,
      error: errorsOf(...body, ...browser),
    }).annotate(OpenApi.Summary, "Accept the current terms"),
    HttpApiEndpoint.get("listSessions", "/v1/me/sessions", {
      disableCodecs: true,
      success: Schema.Struct({ data: Schema.Array(SessionResource) }),
      error: errorsOf("session_required"),
    }).annotate(OpenApi.Summary, "Your sessions, newest first"),
    HttpApiEndpoint.post("revokeOtherSessions", "/v1/me/auth/revoke-other-sessions", {
      disableCodecs: true,
      success: Schema.Struct({ status: Schema.Boolean }),
      error: errorsOf(...browser),
    }).annotate(OpenApi.Summary, "End all your other sessions"),
    HttpApiEndpoint.delete("deleteSession", "/v1/me/sessions/:id", {
      disableCodecs: true,
      params: idParams,
      success: HttpApiSchema.NoContent,
      error: errorsOf(...browser, "resource_not_found"),
    }).annotate(OpenApi.Summary, "End a session, by its uuid or its `ses_` id"),
  )
  .middleware(UserAuth)
  .annotate(OpenApi.Description, "A user's sessions and accepted terms.")

/** The seller of a session (spec 2, 4.6; decisions 4). */
export const sellerGroup = HttpApiGroup.make("seller")
  .add(
    HttpApiEndpoint.get("getSeller", "/v1/me/seller", {
      disableCodecs: true,
      success: SellerProfile,
      error: errorsOf("session_required", "permission_denied"),
    }).annotate(OpenApi.Summary, "The seller profile"),
    HttpApiEndpoint.patch("patchSeller", "/v1/me/seller", {
      disableCodecs: true,
      payload: Schema.Struct({
        name: Schema.optionalKey(DisplayName),
        document: Schema.optionalKey(TaxDocument),
      }).annotate({ identifier: "SellerPatch" }),
      success: SellerProfile,
      error: errorsOf(...body, ...browser, "permission_denied", "mfa_required", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Change the seller profile; a document is set once, where there is none")
      .annotate(StepUp, "account"),
    HttpApiEndpoint.post("submitKyc", "/v1/me/kyc", {
      disableCodecs: true,
      payload: Schema.Struct({ document: TaxDocument, legal_name: DisplayName }).annotate({
        identifier: "Kyc",
      }),
      success: SellerProfile,
      error: errorsOf(...body, ...browser, "permission_denied", "mfa_required", "invalid_state"),
    })
      .annotate(OpenApi.Summary, "Hand in what identifies the seller; an operator decides")
      .annotate(StepUp, "account"),
    HttpApiEndpoint.get("getCounters", "/v1/me/counters", {
      disableCodecs: true,
      success: Counters,
      error: errorsOf("validation_failed", "session_required", "permission_denied"),
    }).annotate(OpenApi.Summary, "Counts for badges, up to 10 s old"),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "The seller behind a session.")
