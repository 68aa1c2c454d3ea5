import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"

/** 401 `invalid_mfa_code`: wrong or already used. */
export const invalidMfaCode = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    message:
      "This code is wrong, too old or used already. Send the newest code of the authenticator, or a backup code that was never used.",
  })

/** 401 `invalid_mfa_code` for a backup code made in this session: whoever holds the session has it. */
export const ownBackupCode = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    message:
      "This backup code was made in this session, so it confirms nothing here. Send the authenticator's newest code, or sign in again.",
  })

/** 401 `invalid_mfa_code` for a passkey: unknown, a bad signature, or an expired or used challenge. */
export const invalidPasskey = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    message:
      "This passkey was not accepted: it is not one of yours, was used on another site, or the request is too old or used already. Ask for new options, or send a code.",
  })

/** 401 `invalid_mfa_code` for a factor that was refused where it was to be used. */
export const refusedFactor = (given: object): ApiError<"invalid_mfa_code"> =>
  "assertion" in given ? invalidPasskey() : invalidMfaCode()

/** 401 `invalid_mfa_code` for a passkey that this session added: whoever holds the session may have it. */
export const ownPasskey = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    message:
      "This passkey was added in this session, so it confirms nothing here. Send a code, use another passkey, or sign in again.",
  })

/** 400 `validation_failed` at `response`: no passkey that was made for this session's newest options. */
export const refusedRegistration = (): ApiError<"validation_failed"> =>
  validationFailed(
    "response",
    "This passkey was not accepted: it was made on another site, or the request is too old or used already. Ask for new options.",
  )

/** 409 `invalid_state`: the passkey was registered before. */
export const knownPasskey = (): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message: "You have this passkey already." })

/** 409 `invalid_state`: as many passkeys as a user may have. */
export const tooManyPasskeys = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `You have ${limits.passkeysMax} passkeys, the most that a user may have. Remove one first.`,
  })

/** 409 `invalid_state`: nothing to sign with. */
export const noPasskey = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message:
      "There is no passkey to use here: none was added, or only in this session, where it confirms nothing. Send a code.",
  })

/** 409 `invalid_state`: a passkey changed while another request was changing it. */
export const passkeyChanged = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: "This passkey was used or changed in the same moment. Try again.",
  })

/** 404 `resource_not_found`: the user has no passkey of this id. */
export const noSuchPasskey = (): ApiError<"resource_not_found"> =>
  new ApiError({ code: "resource_not_found", message: "You have no passkey with this id." })

/** 401 `invalid_mfa_code` for every code, right or wrong, in a session with too many wrong ones in a row. */
export const sessionSpent = (): ApiError<"invalid_mfa_code"> =>
  new ApiError({
    code: "invalid_mfa_code",
    message: "Too many wrong codes were sent in this session, so it takes none any more. Sign in again.",
    details: { reason: "too_many_wrong_codes" },
  })

/** 429 `rate_limited` for every code, right or wrong, until the wait after too many wrong ones in a row is over. */
export const tooManyWrongCodes = (waitMillis: number): ApiError<"rate_limited"> =>
  new ApiError({
    code: "rate_limited",
    message:
      "Too many wrong codes were sent in a row, so no code is checked here before Retry-After. If they were not yours, somebody knows your password: change it, which ends this wait at sign-in, or sign in where you did before.",
    details: { reason: "too_many_wrong_codes" },
    retryAfterSeconds: Math.max(1, Math.ceil(waitMillis / 1_000)),
  })

/** 403 `mfa_required`: no step-up, an expired one, or 2FA is off. */
export const stepUpRequired = (): ApiError<"mfa_required"> =>
  new ApiError({
    code: "mfa_required",
    message: "Confirm this with POST /v1/me/auth/step-up first (turn 2FA on, if it is off), then repeat it.",
  })

/** 401 `invalid_credentials` for a signed-in user. */
export const wrongPassword = (): ApiError<"invalid_credentials"> =>
  new ApiError({ code: "invalid_credentials", message: "The password is wrong." })

/** 401 `session_required`: no session, or it ended during the request. */
export const noSession = (): ApiError<"session_required"> =>
  new ApiError({
    code: "session_required",
    message: "Sign in first: there is no session and no sign-in that waits for its second step.",
  })

/** 403 `mfa_required`: 2FA is off, so there is nothing to confirm with. */
export const twoFactorOff = (): ApiError<"mfa_required"> =>
  new ApiError({
    code: "mfa_required",
    message: "Two-factor authentication is off. Turn it on with POST /v1/me/auth/two-factor/enable first.",
  })

/** 403 `mail_code_required`: a code was mailed, and has to be sent back. */
export const mailCodeRequired = (): ApiError<"mail_code_required"> =>
  new ApiError({
    code: "mail_code_required",
    param: "mail_code",
    message: `A code was mailed to your address, unless one was in the last minute. Send the newest one as mail_code within ${limits.mailCodeMillis / 60_000} minutes, with the password.`,
  })

/** 403 `permission_denied`: an operator's second factor is set up on the server only. */
export const operatorsByOps = (): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message:
      "An operator's second factor is set up on the server: `ops admin create` makes one, `ops admin reset-two-factor --email` replaces it.",
  })

/** 409 `invalid_state`: 2FA is on or off, contrary to what the change needs. */
export const wrongTwoFactorState = (isOn: boolean): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: isOn
      ? "Two-factor authentication is on already. Turn it off first to set up another authenticator."
      : "Two-factor authentication is off, so there is nothing to change.",
  })
