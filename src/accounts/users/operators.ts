import { Clock, Context, Effect, Layer } from "effect"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { ApiError } from "../../../schema/errors.ts"
import { makeTwoFactorStore } from "../../store/twoFactor.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import { OperatorLog } from "../operatorLog.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { checkPerson, emailTaken } from "../sellers/sellers.ts"
import { BackupCodes } from "../twoFactor/backupCodes.ts"
import { newTotpSecret, totpUri } from "../twoFactor/totp.ts"
import { commandAsker } from "./fairWaitingRoom.ts"
import { Passwords } from "./passwords.ts"
import { newUser, newUserId, Users } from "./users.ts"

/** An operator with a new second factor, which is shown this once (docs/contract/admin.md#access). */
export interface EnrolledOperator {
  readonly user_id: string
  readonly email: string
  /** Base32, for an authenticator. */
  readonly totp_secret: string
  /** The same as `otpauth://…`, for a QR code. */
  readonly totp_uri: string
  readonly backup_codes: ReadonlyArray<string>
}

/** Operators: users of role `admin`, without a seller, with 2FA on, which only this service sets up. */
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
    ) => Outcome<EnrolledOperator, "invalid_state" | "service_unavailable" | "validation_failed">
    /**
     * Gives an operator a new second factor, ends its sessions and trusted devices, and mails it. Fails with 404 if the
     * address has no account, and with 409 `invalid_state` at `email` if it is a seller's.
     */
    readonly resetTwoFactor: (
      email: string,
    ) => Outcome<EnrolledOperator, "invalid_state" | "resource_not_found">
  }
>()("corrente/accounts/Operators") {}

const unknownAddress = (): ApiError<"resource_not_found"> =>
  new ApiError({ code: "resource_not_found", message: "No account has this e-mail address." })

const notAnOperator = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "email",
    message: "This is a seller's user, who turns off a lost second factor by a mailed link.",
  })

export const OperatorsLive = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const users = yield* Users
    const passwords = yield* Passwords
    const secrets = yield* AccountSecrets
    const backupCodes = yield* BackupCodes
    const store = yield* makeTwoFactorStore
    const log = yield* OperatorLog
    const notices = yield* SecurityNotices

    /** Draws a second factor and makes it the operator's only one. */
    const enrol = Effect.fnUntraced(function* ({
      id,
      email,
    }: {
      readonly id: string
      readonly email: string
    }) {
      const secret = newTotpSecret()
      const { codes, stored } = backupCodes.draw(id)
      const nowMillis = yield* Clock.currentTimeMillis
      const sealedSecret = secrets.seal(secret, sealedPlaces.totpSecret(id))
      const asked = { userId: id, sealedSecret, storedCodes: stored, nowMillis }
      const { kind } = yield* askAgain(store.resetTwoFactor(asked))
      if (kind === "noOperator") return yield* notAnOperator()
      const enrolled: EnrolledOperator = {
        user_id: id,
        email,
        totp_secret: secret,
        totp_uri: totpUri(secret, email),
        backup_codes: codes,
      }
      return enrolled
    })

    return Operators.of({
      create: Effect.fnUntraced(function* (email, password) {
        const name = email.split("@")[0] || email
        yield* checkPerson({ email, password, name })
        if ((yield* users.findByEmail(email)) !== undefined) return yield* emailTaken()
        const id = newUserId(email)
        const passwordHash = yield* passwords.hash(password, commandAsker)
        const nowMillis = yield* Clock.currentTimeMillis
        const { kind } = yield* users.create({
          ...newUser({ id, email, name, role: "admin", passwordHash, nowMillis }),
          emailVerified: true,
          // Of a factor that nobody has, until there is one: the password alone opens nothing in between.
          twoFactorEnabled: true,
          totpSecret: secrets.seal(newTotpSecret(), sealedPlaces.totpSecret(id)),
        })
        return kind === "created" ? yield* enrol({ id, email }) : yield* emailTaken()
      }),
      resetTwoFactor: Effect.fnUntraced(function* (email) {
        const user = yield* users.findByEmail(email)
        if (user === undefined) return yield* unknownAddress()
        if (user.role !== "admin") return yield* notAnOperator()
        yield* log.append({
          operatorId: undefined,
          action: "operator.two_factor_reset",
          resourceType: "user",
          resourceId: user.id,
          details: {},
        })
        const enrolled = yield* enrol(user)
        yield* notices.tell(user.id, { kind: "two_factor_reset" })
        return enrolled
      }),
    })
  }),
)
