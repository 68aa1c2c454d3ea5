import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { timestamp, timestampOrNull } from "../fields.ts"
import { limits } from "../limits.ts"
import {
  AuthSession,
  CurrentTerms,
  DisplayName,
  GivenPassword,
  MailedToken,
  NewPassword,
  secondFactorMethods,
  User,
} from "../resources/account.ts"
import { TeamInvite } from "../resources/member.ts"
import { Email } from "../resources/transaction.ts"
import { Status, tokenParameter } from "./common.ts"
import { route } from "./route.ts"
import { BrowserGuard } from "./security.ts"

const flag = Schema.optionalKey(Schema.Boolean)
const trustDevice = flag.annotateKey({
  description: "Whether this browser may skip the second step for 30 days.",
})
const UserAnswer = Schema.Struct({ user: User.annotateKey({ description: "Who is signed in." }) })
const email = Email.annotateKey({ description: "The address the user signs in with." })
const password = GivenPassword.annotateKey({ description: "The user's password." })
const token = MailedToken.annotateKey({ description: "The token of the mailed link." })
const browser = [
  "origin_not_allowed",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
] as const

/** A completed sign-in, or one whose second step is pending. */
const SignInAnswer = Schema.Union([
  UserAnswer,
  Schema.Struct({
    twoFactorRedirect: Schema.Literal(true).annotateKey({
      description:
        "The second step is pending: `POST /v1/me/auth/two-factor/verify-totp` completes it, or that of one of `twoFactorMethods`.",
    }),
    twoFactorMethods: Schema.Array(Schema.Literals(secondFactorMethods)).annotateKey({
      description: "How the second step can be done: `totp` (or a backup code), `passkey`.",
      examples: [["totp", "passkey"]],
    }),
  }),
])

/**
 * Sign-up, sign-in and sign-out, in the shapes of better-auth's HTTP API
 * (`docs/decisions/0051-better-auth-shapes.md`).
 */
export const authGroup = HttpApiGroup.make("auth")
  .add(
    route.post("signUp", "/v1/me/auth/sign-up/email", {
      summary: "Sign up by invite: with a seller of your own, or into a team",
      payload: Schema.Struct({
        name: DisplayName.annotateKey({ description: "The user's name, and of a new store." }),
        email,
        password: NewPassword.annotateKey({
          description: `At least ${limits.passwordLengthMin} characters; neither a common password nor the e-mail address.`,
        }),
        accept_terms: Schema.Literal(true).annotateKey({ description: "Accepts the terms." }),
        invite_token: MailedToken.annotateKey({
          description:
            "The token of the mailed invite, or of an invitation to a team; `email` must be the invited address.",
        }),
      }).annotate({
        identifier: "SignUp",
        examples: [
          {
            name: "Ana Souza",
            email: "ana@example.com",
            password: "correct horse battery staple",
            accept_terms: true,
            invite_token: "the-token-of-the-mail",
          },
        ],
      }),
      success: UserAnswer,
      errors: ["validation_failed", "invalid_state", "rate_limited", ...browser],
    }),
    route.post("signIn", "/v1/me/auth/sign-in/email", {
      summary: "Sign in with e-mail address and password",
      payload: Schema.Struct({
        email,
        password,
        rememberMe: flag.annotateKey({
          description: "Whether the session lasts 30 days instead of 24 hours.",
        }),
      }).annotate({
        identifier: "SignIn",
        examples: [{ email: "ana@example.com", password: "correct horse battery staple" }],
      }),
      success: SignInAnswer,
      errors: ["validation_failed", "invalid_credentials", "user_disabled", "rate_limited", ...browser],
    }),
    route.post("signOut", "/v1/me/auth/sign-out", {
      summary: "End this session",
      success: Status,
      errors: ["origin_not_allowed"],
    }),
    route.get("getSession", "/v1/me/auth/get-session", {
      summary: "This session and its user, or null",
      success: Schema.NullOr(
        Schema.Struct({
          session: AuthSession.annotateKey({ description: "This session." }),
          user: User.annotateKey({ description: "Its user." }),
        }),
      ),
      errors: [],
    }),
    route.get("getCurrentTerms", "/v1/me/auth/terms", {
      summary: "The terms that signing up accepts",
      success: CurrentTerms,
      errors: [],
    }),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "Sign-up, sign-in and sign-out.")

/** The second step of a sign-in. */
export const secondStepGroup = HttpApiGroup.make("secondStep")
  .add(
    route.post("verifyTotp", "/v1/me/auth/two-factor/verify-totp", {
      summary: "Complete the second step of a sign-in, or enable 2FA",
      payload: Schema.Struct({
        code: Schema.String.annotateKey({
          description: "Six digits from the authenticator app; each code is accepted once.",
        }),
        trustDevice,
      }).annotate({ identifier: "VerifyTotp", examples: [{ code: "123456" }] }),
      success: UserAnswer,
      errors: [
        "validation_failed",
        "session_required",
        "invalid_credentials",
        "invalid_mfa_code",
        "mfa_required",
        "permission_denied",
        "rate_limited",
        ...browser,
      ],
    }),
    route.post("verifyBackupCode", "/v1/me/auth/two-factor/verify-backup-code", {
      summary: "Complete the second step of a sign-in with a backup code",
      payload: Schema.Struct({
        code: Schema.String.annotateKey({ description: "One of the backup codes; each is accepted once." }),
        trustDevice,
      }).annotate({ identifier: "VerifyBackupCode", examples: [{ code: "a1b2c-3d4e5" }] }),
      success: UserAnswer,
      errors: [
        "validation_failed",
        "session_required",
        "invalid_credentials",
        "invalid_mfa_code",
        "mfa_required",
        "permission_denied",
        "rate_limited",
        ...browser,
      ],
    }),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "The second step of a sign-in, and the last step of enabling 2FA.")

/** Requests for mailed links, and the routes these links lead to. */
export const mailedGroup = HttpApiGroup.make("mailed")
  .add(
    route.get("verifyEmail", "/v1/me/auth/verify-email", {
      summary: "Confirm an e-mail address by its mailed token",
      query: {
        token: tokenParameter,
        callbackURL: Schema.optionalKey(Schema.String).annotateKey({
          description:
            "Accepted because better-auth's client sends it: an address of this service or of a dashboard named in DASHBOARD_ORIGINS.",
        }),
      },
      success: Status,
      errors: ["validation_failed"],
    }),
    route.post("sendVerificationEmail", "/v1/me/auth/send-verification-email", {
      summary: "Mail the link that confirms an e-mail address again",
      payload: Schema.Struct({
        email,
        callbackURL: Schema.optionalKey(Schema.String).annotateKey({
          description: "Accepted because better-auth's client sends it; the mailed link decides by itself.",
        }),
      }).annotate({
        identifier: "SendVerificationEmail",
        examples: [{ email: "ana@example.com" }],
      }),
      success: Status,
      errors: ["validation_failed", "rate_limited", ...browser],
    }),
    route.post("requestPasswordReset", "/v1/me/auth/request-password-reset", {
      summary: "Mail a link that resets the password",
      payload: Schema.Struct({
        email,
        redirectTo: Schema.optionalKey(Schema.String).annotateKey({
          description: "Accepted because better-auth's client sends it; the mailed link decides by itself.",
        }),
      }).annotate({
        identifier: "RequestPasswordReset",
        examples: [{ email: "ana@example.com" }],
      }),
      success: Status,
      errors: ["validation_failed", "rate_limited", ...browser],
    }),
    route.post("resetPassword", "/v1/me/auth/reset-password", {
      summary: "Set a new password; all sessions end",
      payload: Schema.Struct({
        token,
        newPassword: NewPassword.annotateKey({ description: "The password from now on." }),
      }).annotate({
        identifier: "ResetPassword",
        examples: [{ token: "the-token-of-the-mail", newPassword: "correct horse battery staple" }],
      }),
      success: Status,
      errors: ["validation_failed", "rate_limited", ...browser],
    }),
    route.post("requestTwoFactorRecovery", "/v1/me/auth/two-factor/recovery/request", {
      summary: "Mail a link that disables 2FA",
      payload: Schema.Struct({
        email,
        password,
        redirect_to: Schema.optionalKey(Schema.String).annotateKey({
          description: "An address of this service or of a dashboard named in DASHBOARD_ORIGINS.",
        }),
      }).annotate({
        identifier: "RequestTwoFactorRecovery",
        examples: [{ email: "ana@example.com", password: "correct horse battery staple" }],
      }),
      success: Status,
      errors: ["validation_failed", "rate_limited", ...browser],
    }),
    route.post("confirmTwoFactorRecovery", "/v1/me/auth/two-factor/recovery/confirm", {
      summary: "Disable 2FA with a mailed token; withdrawals lock for 24 h",
      payload: Schema.Struct({ token }).annotate({
        identifier: "ConfirmTwoFactorRecovery",
        examples: [{ token: "the-token-of-the-mail" }],
      }),
      success: Schema.Struct({
        withdrawals_locked_until: timestampOrNull.annotateKey({
          description: "Until when withdrawals are locked; null where the user may make none.",
        }),
      }),
      errors: ["validation_failed", "invalid_mfa_code", "rate_limited", ...browser],
    }),
    route.get("getInvite", "/v1/me/auth/invites/:token", {
      summary: "The invite of a token",
      params: { token: tokenParameter },
      success: Schema.Struct({
        email: Schema.String.annotate({ format: "email" }).annotateKey({
          description: "Who is invited.",
          examples: ["ana@example.com"],
        }),
        expires_at: timestamp.annotateKey({ description: "Until when it can be used." }),
      }),
      errors: ["resource_not_found", "rate_limited"],
    }),
    route.get("getTeamInvite", "/v1/me/auth/team-invites/:token", {
      summary: "The invitation to a team of a token",
      params: { token: tokenParameter },
      success: TeamInvite,
      errors: ["resource_not_found", "rate_limited"],
    }),
  )
  .middleware(BrowserGuard)
  .annotate(OpenApi.Description, "Mailed links: e-mail verification, password reset, 2FA recovery, invites.")
