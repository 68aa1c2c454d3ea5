import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { BackupCodes } from "./backupCodes.ts"
import type { UserEntity } from "./entities.ts"
import { totpStepOf } from "./totp.ts"

/** A second factor that a code names; whether it is unused is told where it is used. */
export interface SecondFactor {
  readonly kind: "totp" | "backup"
  /** The step that a TOTP code is of, or what is stored of a backup code. */
  readonly value: string
}

/** Which codes a route takes. */
export type FactorKinds = ReadonlyArray<SecondFactor["kind"]>

/** Reads codes against a user's secrets; nothing is used up. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /** The factor of a user whose 2FA is on that a code names; undefined for a wrong code. */
    readonly read: (
      user: UserEntity,
      code: string,
      kinds: FactorKinds,
    ) => Effect.Effect<SecondFactor | undefined>
    /** The step of the secret that an enabling waits for; undefined for a wrong code. */
    readonly pendingStep: (user: UserEntity, code: string) => Effect.Effect<number | undefined>
  }
>()("corrente/accounts/SecondFactors") {}

export const SecondFactorsLive = Layer.effect(
  SecondFactors,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    const backupCodes = yield* BackupCodes

    const stepOf = (sealedSecret: string | undefined, code: string) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const secret = sealedSecret === undefined ? undefined : open(sealedSecret)
        return secret === undefined ? undefined : totpStepOf(code, secret, nowMillis)
      })

    const read = Effect.fnUntraced(function* (user: UserEntity, code: string, kinds: FactorKinds) {
      const stored = kinds.includes("backup") ? backupCodes.storedOf(user.id, code) : undefined
      if (stored !== undefined) return { kind: "backup" as const, value: stored }
      const step = kinds.includes("totp") ? yield* stepOf(user.totpSecret, code) : undefined
      return step === undefined ? undefined : { kind: "totp" as const, value: String(step) }
    })
    return SecondFactors.of({ read, pendingStep: (user, code) => stepOf(user.totpSecretPending, code) })
  }),
)
