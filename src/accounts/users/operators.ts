import { Clock, Context, Effect, Layer } from "effect"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { checkPerson, emailTaken } from "../sellers/sellers.ts"
import { newTotpSecret } from "../twoFactor/totp.ts"
import { commandAsker } from "./askers.ts"
import { Passwords } from "./passwords.ts"
import { newUser, newUserId, Users } from "./users.ts"

/** A new operator; the TOTP secret is shown this once (docs/contract/admin.md#access). */
export interface CreatedOperator {
  readonly user_id: string
  readonly email: string
  /** Base32, for an authenticator. */
  readonly totp_secret: string
}

/** Creates operators: users of role `admin`, without a seller, with 2FA on. */
export class Operators extends Context.Service<
  Operators,
  {
    /**
     * Fails with 400 `validation_failed` at `email` or `password`, and with 409 `invalid_state` at `email` if it is
     * taken.
     */
    readonly create: (
      email: string,
      password: string,
    ) => Effect.Effect<CreatedOperator, ApiError | StoreUnavailable>
  }
>()("corrente/accounts/Operators") {}

export const OperatorsLive = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const users = yield* Users
    const passwords = yield* Passwords
    const secrets = yield* AccountSecrets
    return Operators.of({
      create: Effect.fnUntraced(function* (email, password) {
        const name = email.split("@")[0] || email
        yield* checkPerson({ email, password, name })
        if ((yield* users.findByEmail(email)) !== undefined) return yield* emailTaken()
        const id = newUserId(email)
        const totpSecret = newTotpSecret()
        const passwordHash = yield* passwords.hash(password, commandAsker)
        const nowMillis = yield* Clock.currentTimeMillis
        const { kind } = yield* users.create({
          ...newUser({ id, email, name, role: "admin", passwordHash, nowMillis }),
          emailVerified: true,
          twoFactorEnabled: true,
          totpSecret: secrets.seal(totpSecret, sealedPlaces.totpSecret(id)),
        })
        return kind === "created" ? { user_id: id, email, totp_secret: totpSecret } : yield* emailTaken()
      }),
    })
  }),
)
