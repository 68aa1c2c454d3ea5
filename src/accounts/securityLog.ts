import { Clock, Context, Effect, Layer } from "effect"
import { ApiError, type ErrorCode } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"

/** What a caller failed to pass. */
export type Barrier =
  | "sign-in"
  | "second step of a sign-in"
  | "step-up"
  | "password confirmation"
  | "2FA recovery"
  | "password reset"

/** Why a caller was refused. */
export type RefusalReason =
  | "unknown_email"
  | "wrong_password"
  | "wrong_code"
  | "no_second_factor"
  | "session_ended"
  | "bad_token"
  | "not_eligible"
  | "user_disabled"
  | "too_many_tries"

/** Who was refused, as far as known. */
export interface Refused {
  readonly userId?: string | undefined
  readonly ipAddress?: string | undefined
}

/** What ends early. */
export type Credential =
  | "backup codes"
  | "API key"
  | "session"
  | "all sessions"
  | "webhook secret"
  | "postback secret"

/** Logs refusals and revoked credentials: whose and why, never what was typed. */
export class SecurityLog extends Context.Service<
  SecurityLog,
  {
    /** Logs a refusal. Beyond `refusalLinesPerSecondMax` such lines are counted, and the next line says how many. */
    readonly refused: (barrier: Barrier, reason: RefusalReason, who: Refused) => Effect.Effect<void>
    /** Logs the refusal an effect fails with, by its error code (only `codes`); logs nothing else. */
    readonly watch: <A, E, R>(
      barrier: Barrier,
      who: Refused,
      effect: Effect.Effect<A, E, R>,
      codes?: ReadonlyArray<ErrorCode>,
    ) => Effect.Effect<A, E, R>
    /** Logs that a credential of a user ended; `id` if it is one of several, `reason` in a few words. */
    readonly revoked: (
      credential: Credential,
      of: { readonly userId: string; readonly id?: string },
      reason: string,
    ) => Effect.Effect<void>
  }
>()("corrente/accounts/SecurityLog") {}

/** The name of a refusal by error code; other errors are not refusals. */
const reasons: Partial<Readonly<Record<ErrorCode, RefusalReason>>> = {
  invalid_credentials: "wrong_password",
  invalid_mfa_code: "wrong_code",
  mfa_required: "no_second_factor",
  session_required: "session_ended",
  rate_limited: "too_many_tries",
}

const annotationsOf = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )

const make = Effect.sync(() => {
  let second = 0
  let lines = 0
  let unlogged = 0

  const refused: SecurityLog["Service"]["refused"] = (barrier, reason, { userId, ipAddress }) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const now = Math.floor(nowMillis / 1_000)
      if (now !== second) {
        second = now
        lines = 0
      }
      if (lines >= limits.refusalLinesPerSecondMax) {
        unlogged += 1
        return Effect.void
      }
      lines += 1
      const skipped = unlogged === 0 ? undefined : String(unlogged)
      unlogged = 0
      return Effect.annotateLogs(
        Effect.logWarning(`${barrier} refused: ${reason}`),
        annotationsOf({ user: userId, address: ipAddress, refusals_not_logged: skipped }),
      )
    })

  return SecurityLog.of({
    refused,
    watch: (barrier, who, effect, codes) =>
      Effect.tapError(effect, (error) => {
        if (!(error instanceof ApiError) || codes?.includes(error.code) === false) return Effect.void
        const reason = reasons[error.code]
        return reason === undefined ? Effect.void : refused(barrier, reason, who)
      }),
    revoked: (credential, { userId, id }, reason) =>
      Effect.annotateLogs(
        Effect.logInfo(`${credential} revoked: ${reason}`),
        annotationsOf({ user: userId, id }),
      ),
  })
})

export const SecurityLogLive = Layer.effect(SecurityLog, make)
