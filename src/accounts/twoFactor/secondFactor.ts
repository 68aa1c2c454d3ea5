import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { lockWithoutSecondFactor } from "../../../actors/seller/decisions/sellerDecisions.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { type FactorTrying, makeTwoFactorStore } from "../../store/twoFactor.ts"
import type { UserEntity } from "../../store/users.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { ofOwnSeller, SellerChanges } from "../sellers/sellerChanges.ts"
import { BackupCodes, readBackupCode } from "./backupCodes.ts"
import { totpStepOf } from "./totp.ts"
import { invalidMfaCode, noSession, sessionSpent, tooManyWrongCodes } from "./twoFactorErrors.ts"

/**
 * Locks the withdrawals of the seller of a user for 24 h, because its second factor is about to be turned off, or on late
 * (docs/accounts.md#recovery), with `seller.payout_locked` in both feeds. Returns
 * the end of the lock in ms. Does nothing for a user without a seller.
 */
export const makeSecondFactorLock: Effect.Effect<
  (sellerId: string | undefined) => Outcome<number, "service_unavailable">,
  never,
  SellerChanges
> = Effect.map(SellerChanges, (sellers) =>
  Effect.fnUntraced(function* (sellerId: string | undefined) {
    const untilMillis = (yield* Clock.currentTimeMillis) + limits.recoveryLockMillis
    if (sellerId !== undefined) {
      yield* ofOwnSeller(sellers.change(sellerId, lockWithoutSecondFactor(untilMillis)))
    }
    return untilMillis
  }),
)

/** The second factor that a code names. Whether it is unused is decided where it is used. */
export interface SecondFactor {
  readonly kind: "totp" | "backup"
  /** The step of the secret that waits to be confirmed; undefined for a wrong code. */
  readonly value: string
}

/** Which kinds of code a route accepts. */
export type FactorKinds = ReadonlyArray<SecondFactor["kind"]>

/** Where a code is sent, and by what: the hash of the token of a session or of a pending sign-in. */
export type FactorHolder = Pick<FactorTrying, "place" | "tokenHash">

/** Matches codes with the secrets of a user; uses up none. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /**
     * The factor that a code names, of a user with 2FA on. Counts the try first
     * (docs/accounts.md#wrong-codes): fails with 401 `invalid_mfa_code` for a wrong code, 429 `rate_limited`
     * while codes have to wait, and once the session or the pending sign-in has had its tries. Using the factor resets the
     * count.
     */
    readonly read: (
      user: UserEntity,
      code: string,
      kinds: FactorKinds,
      at: FactorHolder,
    ) => Outcome<SecondFactor, "invalid_mfa_code" | "rate_limited" | "session_required">
    /** The step of the secret that an enabling waits for; counts, and fails, in the same way. */
    readonly pendingStep: (
      user: UserEntity,
      code: string,
      at: FactorHolder,
    ) => Outcome<number, "invalid_mfa_code" | "rate_limited" | "session_required">
  }
>()("corrente/accounts/SecondFactors") {}

export const SecondFactorsLive = Layer.effect(
  SecondFactors,
  Effect.gen(function* () {
    const { open } = yield* SecretOpener
    const backupCodes = yield* BackupCodes
    const store = yield* makeTwoFactorStore
    const notices = yield* SecurityNotices

    const stepOf = (userId: string, sealedSecret: string | undefined, code: string) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const secret =
          sealedSecret === undefined ? undefined : open(sealedSecret, sealedPlaces.totpSecret(userId))
        return secret === undefined ? undefined : totpStepOf(code, secret, nowMillis)
      })

    const beginTry = Effect.fnUntraced(function* (userId: string, { place, tokenHash }: FactorHolder) {
      const nowMillis = yield* Clock.currentTimeMillis
      const begun = yield* store.beginTry({ userId, place, tokenHash, nowMillis })
      if (begun.kind === "spent") return yield* place === "session" ? sessionSpent() : noSession()
      if (begun.kind === "wait") return yield* tooManyWrongCodes(begun.waitMillis)
      if (begun.count === limits.wrongCodesMax) {
        yield* Effect.logWarning(
          `second factor of user ${userId} (${place}): ${begun.count} codes in a row; from now on each has to wait`,
        )
        yield* notices.tell(userId, { kind: "wrong_codes", isSignIn: place !== "session" })
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

    return SecondFactors.of({
      read: Effect.fnUntraced(function* (user, code, kinds, at) {
        yield* beginTry(user.id, at)
        return (yield* factorOf(user, code, kinds)) ?? (yield* invalidMfaCode())
      }),
      pendingStep: Effect.fnUntraced(function* (user, code, at) {
        yield* beginTry(user.id, at)
        return (yield* stepOf(user.id, user.totpSecretPending, code)) ?? (yield* invalidMfaCode())
      }),
    })
  }),
)
