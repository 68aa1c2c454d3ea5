import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { UserEntity } from "../../store/users.ts"
import { SecurityLog } from "../securityLog.ts"
import { TrustedDevices } from "../twoFactor/trustedDevices.ts"
import { AccountTokens } from "../users/accountTokenStore.ts"
import type { Asker } from "../users/fairWaitingRoom.ts"
import { Passwords } from "../users/passwords.ts"
import { Users } from "../users/users.ts"
import { KnownDevices } from "./knownDevices.ts"
import type { SignInOrigin } from "./session.ts"
import { Sessions } from "./sessions.ts"

/** A sign-in. */
export interface SignInRequest {
  readonly email: string
  readonly password: string
  readonly rememberMe: boolean
  readonly origin: SignInOrigin
  /** The cookie that `trustDevice` set. */
  readonly trustedDevice: string | undefined
  /** As whom its password waits. */
  readonly asker: Asker
}

/**
 * The session, or the pending second step: `pendingToken` opens that step and nothing else
 * (docs/contract/accounts.md#second-step).
 */
export type SignedIn =
  | { readonly kind: "session"; readonly token: string; readonly user: UserEntity }
  | { readonly kind: "secondStep"; readonly pendingToken: string; readonly user: UserEntity }

/** Signs users in (docs/contract/accounts.md#sign-in). */
export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Fails with 401 `invalid_credentials`, the same and after the same work for an unknown address and a wrong
     * password; with 403 `user_disabled` to whoever knows the password of a disabled user; with 503 if too many
     * passwords are being checked.
     */
    readonly signIn: (
      request: SignInRequest,
    ) => Effect.Effect<
      SignedIn,
      ApiError<"invalid_credentials" | "service_unavailable" | "user_disabled"> | StoreUnavailable
    >
  }
>()("corrente/accounts/SignIn") {}

const refused = (): ApiError<"invalid_credentials"> =>
  new ApiError({ code: "invalid_credentials", message: "The e-mail address or the password is wrong." })

const disabled = (): ApiError<"user_disabled"> =>
  new ApiError({
    code: "user_disabled",
    message: "This account was disabled, so nobody can sign in to it. Contact support.",
  })

export const SignInLive = Layer.effect(
  SignIn,
  Effect.gen(function* () {
    const users = yield* Users
    const passwords = yield* Passwords
    const sessions = yield* Sessions
    const tokens = yield* AccountTokens
    const devices = yield* TrustedDevices
    const known = yield* KnownDevices
    const log = yield* SecurityLog

    return SignIn.of({
      signIn: Effect.fnUntraced(function* (request) {
        const { email, password, rememberMe } = request
        const user = yield* users.findByEmail(email)
        const isRight = yield* passwords.verify(password, user?.passwordHash, request.asker)
        if (user === undefined || !isRight) {
          const reason = user === undefined ? "unknown_email" : "wrong_password"
          yield* log.refused("sign-in", reason, { userId: user?.id, ipAddress: request.origin.ipAddress })
          return yield* refused()
        }
        if (user.disabledAtMillis !== undefined) {
          yield* log.refused("sign-in", "user_disabled", {
            userId: user.id,
            ipAddress: request.origin.ipAddress,
          })
          return yield* disabled()
        }

        const line = { user_id: user.id, seller_id: user.sellerId }
        if (user.twoFactorEnabled && !(yield* devices.isTrusted(request.trustedDevice, user))) {
          const life = limits.pendingSignInMillis
          const pendingToken = yield* tokens.issue(email, user, "second_factor", life, { rememberMe })
          yield* log.write("sign_in.second_step_required", line)
          return { kind: "secondStep", pendingToken, user } as const
        }
        const begun = yield* sessions.begin(user, request.origin, { rememberMe, mfaVerified: false })
        if (begun === undefined) return yield* refused()
        const secondStep = user.twoFactorEnabled ? "trusted_device" : "off"
        yield* log.write("sign_in.succeeded", { ...line, second_step: secondStep })
        yield* known.signedIn(user, request.origin, request.trustedDevice)
        return { kind: "session", token: begun.token, user } as const
      }),
    })
  }),
)
