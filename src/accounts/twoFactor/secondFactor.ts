import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { makeTwoFactorStore } from "../../store/twoFactor/twoFactorStore.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { BackupCodes, readBackupCode } from "./backupCodes.ts"
import { totpStepOf } from "./totp.ts"
import { invalidMfaCode, tooManyWrongCodes } from "./twoFactorErrors.ts"

/** The second factor that a code names. Whether it is unused is decided where it is used. */
export interface SecondFactor {
  readonly kind: "totp" | "backup"
  /** The step of the secret that waits to be confirmed; undefined for a wrong code. */
  readonly value: string
}

/** Which kinds of code a route accepts. */
export type FactorKinds = ReadonlyArray<SecondFactor["kind"]>

/** Matches codes with the secrets of a user; uses up none. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /**
     * The factor that a code names, of a user with 2FA on. Counts the try first: fails with 401 `invalid_mfa_code`
     * for a wrong code, and for every code after a hundred wrong ones in a row
     * (docs/decisions/0056-wrong-codes-lock.md). Using the factor resets the count.
     */
    readonly read: (
      user: UserEntity,
      code: string,
      kinds: FactorKinds,
    ) => Effect.Effect<SecondFactor, ApiError | StoreUnavailable>
    /** The step of the secret that an enabling waits for; undefined for a wrong code. */
    readonly pendingStep: (user: UserEntity, code: string) => Effect.Effect<number | undefined>
  }
>()("corrente/accounts/SecondFactors") {}

export const SecondFactorsLive = Layer.effect(
  SecondFactors,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    const backupCodes = yield* BackupCodes
    const store = yield* makeTwoFactorStore

    const stepOf = (userId: string, sealedSecret: string | undefined, code: string) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const secret =
          sealedSecret === undefined ? undefined : open(sealedSecret, sealedPlaces.totpSecret(userId))
        return secret === undefined ? undefined : totpStepOf(code, secret, nowMillis)
      })

    const beginTry = Effect.fnUntraced(function* (userId: string) {
      const begun = yield* store.beginTry(userId)
      if (begun.kind === "locked") return yield* tooManyWrongCodes()
      if (begun.count === limits.wrongCodesMax) {
        yield* Effect.logWarning(
          `second factor of user ${userId}: ${begun.count} codes in a row; unless this one is right, only recovery helps`,
        )
      }
    })

    const factorOf = Effect.fnUntraced(function* (user: UserEntity, code: string, kinds: FactorKinds) {
      if (kinds.includes("backup") && readBackupCode(code) !== undefined) {
        const stored = backupCodes.find(user.id, code, yield* store.backupCodes(user.id))
        return stored === undefined ? undefined : { kind: "backup" as const, value: stored }
      }
      const step = kinds.includes("totp") ? yield* stepOf(user.id, user.totpSecret, code) : undefined
      return step === undefined ? undefined : { kind: "totp" as const, value: String(step) }
    })

    const read = Effect.fnUntraced(function* (user: UserEntity, code: string, kinds: FactorKinds) {
      yield* beginTry(user.id)
      return (yield* factorOf(user, code, kinds)) ?? (yield* invalidMfaCode())
    })
    return SecondFactors.of({
      read,
      pendingStep: (user, code) => stepOf(user.id, user.totpSecretPending, code),
    })
  }),
)
