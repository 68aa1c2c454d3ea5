import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  AuthSession,
  DisplayName,
  GivenPassword,
  MailedToken,
  NewPassword,
  User,
} from "../resources/account.ts"
import { Email } from "../resources/transaction.ts"
import { errorsOf } from "./common.ts"
import { BrowserGuard } from "./security.ts"

const timestamp = Schema.String.annotate({ format: "date-time" })
const flag = Schema.optionalKey(Schema.Boolean)
const Status = Schema.Struct({ status: Schema.Boolean })
const UserAnswer = Schema.Struct({ user: User })
const browser = [
  "origin_not_allowed",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
] as const

/** What a sign-in answers: the user, or that the second factor is missing (decisions 4). */
const SignInAnswer = Schema.Union([
  UserAnswer,
  Schema.Struct({
    twoFactorRedirect: Schema.Literal(true),
    twoFactorMethods: Schema.Array(Schema.String),
  }),
])

/** Routes of signing up, in and out (spec 4.6), in the shapes of better-auth's HTTP API (decisions 4). */
export const authGroup = HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("signUp", "/v1/me/auth/sign-up/email", {
      disableCodecs: true,
      payload: Schema.Struct({
        name: DisplayName,
        email: Email,
        password: NewPassword,
        accept_terms: Schema.Literal(true),
        invite_token: MailedToken,
      }).annotate({ identifier: "SignUp" }),
      success: UserAnswer,
      error: errorsOf("validation_failed", "invalid_state", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Sign up by invite"),
    HttpApiEndpoint.post("signIn", "/v1/me/auth/sign-in/email", {
      disableCodecs: true,
      payload: Schema.Struct({ email: Email, password: GivenPassword, rememberMe: flag }).annotate({
        identifier: "SignIn",
      }),
      success: SignInAnswer,
      error: errorsOf("validation_failed", "invalid_credentials", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Sign in with e-mail address and password"),
    HttpApiEndpoint.post("signOut", "/v1/me/auth/sign-out", {
      disableCodecs: true,
      success: Status,
      error: errorsOf("origin_not_allowed"),
    }).annotate(OpenApi.Summary, "End this session"),
    HttpApiEndpoint.get("getSession", "/v1/me/auth/get-session", {
      disableCodecs: true,
      success: Schema.NullOr(Schema.Struct({ session: AuthSession, user: User })),
      error: errorsOf(),
    }).annotate(OpenApi.Summary, "This session and its user, or null"),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "Signing up, in and out.")

/** The second step of a sign-in (spec 4.6; backup codes by decisions 4). */
export const secondStepGroup = HttpApiGroup.make("secondStep")
  .add(
    HttpApiEndpoint.post("verifyTotp", "/v1/me/auth/two-factor/verify-totp", {
      disableCodecs: true,
      payload: Schema.Struct({ code: Schema.String, trustDevice: flag }).annotate({
        identifier: "VerifyTotp",
      }),
      success: UserAnswer,
      error: errorsOf(
        "validation_failed",
        "session_required",
        "invalid_mfa_code",
        "mfa_required",
        "rate_limited",
        ...browser,
      ),
    }).annotate(OpenApi.Summary, "Complete the second step of a sign-in, or the enabling of 2FA"),
    HttpApiEndpoint.post("verifyBackupCode", "/v1/me/auth/two-factor/verify-backup-code", {
      disableCodecs: true,
      payload: Schema.Struct({ code: Schema.String, trustDevice: flag }).annotate({
        identifier: "VerifyBackupCode",
      }),
      success: UserAnswer,
      error: errorsOf(
        "validation_failed",
        "session_required",
        "invalid_mfa_code",
        "mfa_required",
        "rate_limited",
        ...browser,
      ),
    }).annotate(OpenApi.Summary, "Complete the second step of a sign-in with a backup code"),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "Second factors: the second step of a sign-in, and the end of enabling.")

/** What mailed links lead to, and what asks for them (spec 4.6). */
export const mailedGroup = HttpApiGroup.make("mailed")
  .add(
    HttpApiEndpoint.get("verifyEmail", "/v1/me/auth/verify-email", {
      disableCodecs: true,
      query: { token: MailedToken, callbackURL: Schema.optionalKey(Schema.String) },
      success: Status,
      error: errorsOf("validation_failed"),
    }).annotate(OpenApi.Summary, "Confirm an e-mail address by its mailed token"),
    HttpApiEndpoint.post("requestPasswordReset", "/v1/me/auth/request-password-reset", {
      disableCodecs: true,
      payload: Schema.Struct({ email: Email, redirectTo: Schema.optionalKey(Schema.String) }).annotate({
        identifier: "RequestPasswordReset",
      }),
      success: Status,
      error: errorsOf("validation_failed", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Mail a link that resets the password"),
    HttpApiEndpoint.post("resetPassword", "/v1/me/auth/reset-password", {
      disableCodecs: true,
      payload: Schema.Struct({ token: MailedToken, newPassword: NewPassword }).annotate({
        identifier: "ResetPassword",
      }),
      success: Status,
      error: errorsOf("validation_failed", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Set a new password; all sessions end"),
    HttpApiEndpoint.post("requestTwoFactorRecovery", "/v1/me/auth/two-factor/recovery/request", {
      disableCodecs: true,
      payload: Schema.Struct({
        email: Email,
        password: GivenPassword,
        redirect_to: Schema.optionalKey(Schema.String),
      }).annotate({ identifier: "RequestTwoFactorRecovery" }),
      success: Status,
      error: errorsOf("validation_failed", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Mail a link that turns 2FA off"),
    HttpApiEndpoint.post("confirmTwoFactorRecovery", "/v1/me/auth/two-factor/recovery/confirm", {
      disableCodecs: true,
      payload: Schema.Struct({ token: MailedToken }).annotate({ identifier: "ConfirmTwoFactorRecovery" }),
      success: Schema.Struct({ withdrawals_locked_until: timestamp }),
      error: errorsOf("validation_failed", "invalid_mfa_code", "rate_limited", ...browser),
    }).annotate(OpenApi.Summary, "Turn 2FA off by a mailed token; withdrawals lock for 24 h"),
    HttpApiEndpoint.get("getInvite", "/v1/me/auth/invites/:token", {
      disableCodecs: true,
      params: { token: MailedToken },
      success: Schema.Struct({ email: Schema.String.annotate({ format: "email" }), expires_at: timestamp }),
      error: errorsOf("resource_not_found", "rate_limited"),
    }).annotate(OpenApi.Summary, "What an invite's token is for"),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "Mailed links: verification, lost passwords, lost second factors, invites.")
