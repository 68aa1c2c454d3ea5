import { Clock, Context, Effect, Layer, Scope } from "effect"
import type { ErrorCode } from "../../schema/errorCodes.ts"
import { ApiError } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import { CurrentRequest, type RequestFacts } from "./currentRequest.ts"
import { type SecurityEvent, type SecurityFacts, securityEvents, securityLine } from "./securityLine.ts"

/** What a caller has to pass: how the log names that it was passed, if it tells, and that it was not. */
const barriers = {
  "sign-in": { passed: undefined, failed: "sign_in.failed" },
  "second step of a sign-in": { passed: "second_step.succeeded", failed: "second_step.failed" },
  "step-up": { passed: "step_up.succeeded", failed: "step_up.failed" },
  "password confirmation": { passed: undefined, failed: "password_confirmation.failed" },
  "2FA recovery": { passed: undefined, failed: "recovery.failed" },
  "password reset": { passed: undefined, failed: "password_reset.failed" },
} as const satisfies Readonly<
  Record<string, { readonly passed: SecurityEvent | undefined; readonly failed: SecurityEvent }>
>
export type Barrier = keyof typeof barriers

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
  | "passkey"
  | "API key"
  | "session"
  | "all sessions"
  | "webhook secret"
  | "postback secret"

/** Logs who gets in and who is refused (`docs/logs.md`): whose and why, never what was typed. */
export class SecurityLog extends Context.Service<
  SecurityLog,
  {
    /**
     * Writes a line. Beyond `refusalLinesPerSecondMax` a second, refusals of one name are counted, and one line a second later
     * says how many were left out. `request` is what the line is about; by default the request that the program answers. It is
     * asked only for a line that is written.
     */
    readonly write: (
      event: SecurityEvent,
      facts?: SecurityFacts,
      request?: () => RequestFacts,
    ) => Effect.Effect<void>
    /** Logs a refusal. */
    readonly refused: (barrier: Barrier, reason: RefusalReason, who: Refused) => Effect.Effect<void>
    /**
     * Logs the refusal an effect fails with, by its error code (only `codes`); logs no other failure. Logs that it was passed, unless
     * `codes` are given.
     */
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

const windowMillis = 1_000

/** The lines of one name in the last second that had one. */
interface Lines {
  second: number
  written: number
  leftOut: number
}

/** Bounds refusals; each name on its own, so that a flood of one does not hide another. */
const makeBound = Effect.gen(function* () {
  const scope = yield* Scope.Scope
  const counts = new Map<SecurityEvent, Lines>()

  const tellLeftOut = (of: SecurityEvent, lines: Lines) =>
    Effect.suspend(() => {
      const { leftOut } = lines
      lines.leftOut = 0
      return leftOut === 0 ? Effect.void : securityLine("log.lines_left_out", { of, lines: leftOut })
    })
  yield* Effect.addFinalizer(() =>
    Effect.forEach(counts, ([event, lines]) => tellLeftOut(event, lines), { discard: true }),
  )

  return (event: SecurityEvent, line: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const second = Math.floor(nowMillis / windowMillis)
      const lines = counts.get(event) ?? { second, written: 0, leftOut: 0 }
      counts.set(event, lines)
      if (lines.second !== second) {
        lines.second = second
        lines.written = 0
      }
      if (lines.written < limits.refusalLinesPerSecondMax) {
        lines.written += 1
        return line
      }
      lines.leftOut += 1
      if (lines.leftOut > 1) return Effect.void
      return Effect.sleep(windowMillis).pipe(
        Effect.andThen(tellLeftOut(event, lines)),
        // It speaks of many requests.
        Effect.provideService(CurrentRequest, undefined),
        Effect.forkIn(scope),
        Effect.asVoid,
      )
    })
})

const make = Effect.gen(function* () {
  const bounded = yield* makeBound

  const write: SecurityLog["Service"]["write"] = (event, facts, request) => {
    const line =
      request === undefined
        ? securityLine(event, facts)
        : Effect.suspend(() => Effect.provideService(securityLine(event, facts), CurrentRequest, request()))
    return securityEvents[event][0] === "warn" ? bounded(event, line) : line
  }
  const factsOf = ({ userId, ipAddress }: Refused): SecurityFacts => ({
    user_id: userId,
    client_address: ipAddress,
  })
  const refused: SecurityLog["Service"]["refused"] = (barrier, reason, who) =>
    write(barriers[barrier].failed, { reason, ...factsOf(who) })

  return SecurityLog.of({
    write,
    refused,
    watch: (barrier, who, effect, codes) => {
      const { passed } = barriers[barrier]
      return Effect.tap(
        Effect.tapError(effect, (error) => {
          if (!(error instanceof ApiError) || codes?.includes(error.code) === false) return Effect.void
          const reason = reasons[error.code]
          return reason === undefined ? Effect.void : refused(barrier, reason, who)
        }),
        codes === undefined && passed !== undefined ? write(passed, factsOf(who)) : Effect.void,
      )
    },
    revoked: (credential, { userId, id }, reason) =>
      write("credential.revoked", { reason, credential, user_id: userId, id }),
  })
})

export const SecurityLogLive = Layer.effect(SecurityLog, make)
