import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { makeTwoFactorStore } from "../../store/twoFactor.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import type { SignInOrigin } from "../sessions/session.ts"
import { Sessions } from "../sessions/sessions.ts"
import { AccountTokens } from "../users/accountTokenStore.ts"
import { type GivenFactor, SecondFactors } from "./secondFactor.ts"
import { noSession, refusedFactor } from "./twoFactorErrors.ts"

/** A sign-in that waits for its second step. */
export interface PendingSignIn {
  /** The hash of its token. */
  readonly tokenHash: string
  /** The user, with 2FA on and the password that the sign-in began with. */
  readonly user: UserEntity & { readonly totpSecret: string }
  readonly rememberMe: boolean
}

/** What is given for the second step, and where it comes from. */
export type SecondStepFactor = GivenFactor & {
  readonly origin: SignInOrigin
  /** Whether the user is known on this device (docs/accounts.md#known-devices). */
  readonly isKnown: boolean
}

/** A completed sign-in. */
export interface CompletedSignIn {
  /** The session token, for its cookie only. */
  readonly token: string
  readonly rememberMe: boolean
}

/** The second step of a sign-in (docs/contract/accounts.md#second-step). */
export class SecondSteps extends Context.Service<
  SecondSteps,
  {
    /** The sign-in of a pending token; undefined if the token is unknown, used, expired or outdated. */
    readonly find: (token: string | undefined) => Effect.Effect<PendingSignIn | undefined, StoreUnavailable>
    /**
     * Begins the session, stepped up. Fails with 401 `invalid_mfa_code` if the factor is wrong or used, after which
     * another may be tried, with 429 `rate_limited` while codes have to wait, and with 401 `session_required` if the
     * sign-in is no longer pending, which it is for five codes.
     */
    readonly complete: (
      pending: PendingSignIn,
      given: SecondStepFactor,
    ) => Effect.Effect<
      CompletedSignIn,
      ApiError<"invalid_mfa_code" | "rate_limited" | "session_required"> | StoreUnavailable
    >
  }
>()("corrente/accounts/SecondSteps") {}

export const SecondStepsLive = Layer.effect(
  SecondSteps,
  Effect.gen(function* () {
    const store = yield* makeTwoFactorStore
    const tokens = yield* AccountTokens
    const sessions = yield* Sessions
    const factors = yield* SecondFactors

    const find = Effect.fnUntraced(function* (token: string | undefined) {
      const found = yield* tokens.find(token, "second_factor")
      if (found === undefined) return undefined
      const { tokenHash, user } = found
      const { twoFactorEnabled, totpSecret } = user
      if (!twoFactorEnabled || totpSecret === undefined) return undefined
      return { tokenHash, user: { ...user, totpSecret }, rememberMe: found.token.rememberMe ?? false }
    })

    const complete = Effect.fnUntraced(function* (
      { tokenHash: pendingHash, user, rememberMe }: PendingSignIn,
      given: SecondStepFactor,
    ) {
      const { origin, isKnown } = given
      const place = isKnown ? "known" : "stranger"
      const factor = yield* factors.read(user, given, { place, tokenHash: pendingHash })
      const { token, write } = yield* sessions.prepare(user, origin, { rememberMe, mfaVerified: true })
      const { kind } = yield* askAgain(
        store.verifySecondStep({
          userId: user.id,
          passwordHash: user.passwordHash,
          sealedSecret: user.totpSecret,
          factor,
          pendingHash,
          session: write,
        }),
      )
      if (kind === "factorRefused") return yield* refusedFactor(given)
      if (kind !== "verified") return yield* noSession()
      return { token, rememberMe }
    })
    return SecondSteps.of({ find, complete })
  }),
)
