import { Clock, Context, Effect, Layer } from "effect"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { lockWithoutSecondFactor } from "../../../actors/seller/decisions/sellerDecisions.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { may } from "../../../schema/memberRoles.ts"
import type { AssertionResponse } from "../../../schema/resources/passkey.ts"
import { makePasskeyStore, recordOf } from "../../store/passkeys.ts"
import type { UsedFactor } from "../../store/sessions.ts"
import { type FactorTrying, makeTwoFactorStore } from "../../store/twoFactor.ts"
import type { UserEntity } from "../../store/users.ts"
import type { Outcome } from "../outcome.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { ofOwnSeller, SellerChanges } from "../sellers/sellerChanges.ts"
import { BackupCodes, readBackupCode } from "./backupCodes.ts"
import { totpStepOf } from "./totp.ts"
import {
  invalidMfaCode,
  invalidPasskey,
  noSession,
  ownPasskey,
  sessionSpent,
  tooManyWrongCodes,
} from "./twoFactorErrors.ts"
import { type RelyingParty, readAssertion } from "./webAuthn.ts"

/**
 * Locks the withdrawals of the seller of a user for 24 h, because its second factor is about to be turned off, or on late
 * (docs/accounts.md#recovery), with `seller.payout_locked` in both feeds. Returns the end of the lock in ms. Does nothing for a user
 * who may make no withdrawals.
 */
export const makeSecondFactorLock: Effect.Effect<
  (
    user: Pick<UserEntity, "id" | "sellerId" | "memberId">,
  ) => Outcome<number | undefined, "service_unavailable">,
  never,
  MemberStore | SellerChanges
> = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const members = yield* MemberStore
  return Effect.fnUntraced(function* ({ id, sellerId, memberId }) {
    if (sellerId === undefined) return undefined
    const membership = yield* members.membershipOf(sellerId, id, memberId)
    // Nobody gets at money through who may not withdraw, and who may not must not keep others from it.
    if (membership === undefined || !may(membership.role, "payingOut")) return undefined
    const untilMillis = (yield* Clock.currentTimeMillis) + limits.recoveryLockMillis
    yield* ofOwnSeller(sellers.change(sellerId, lockWithoutSecondFactor(untilMillis)))
    return untilMillis
  })
})

/** Which kinds of code a route accepts. */
export type FactorKinds = ReadonlyArray<"totp" | "backup">

/** A code as it was typed. */
export interface GivenCode {
  readonly code: string
  readonly kinds: FactorKinds
}

/** What a passkey signed, on which site. */
export interface GivenPasskey {
  readonly assertion: AssertionResponse
  readonly party: RelyingParty
}

/** A second factor as somebody gives it. */
export type GivenFactor = GivenCode | GivenPasskey

/** Where a factor is given, and by what: the hash of the token of a session or of a pending sign-in. */
export type FactorHolder = Pick<FactorTrying, "place" | "tokenHash"> & {
  /** The session's id, where it is one. */
  readonly sessionId?: string
}

/** Matches codes and signatures with the secrets and passkeys of a user; uses up none. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /**
     * The factor that was given, of a user with 2FA on; whether it is unused is decided where it is used. Counts the try first
     * (docs/accounts.md#wrong-codes): fails with 401 `invalid_mfa_code` for a wrong one, 429 `rate_limited`
     * while codes have to wait, and once the session or the pending sign-in has had its tries. Using the factor resets the
     * count.
     */
    readonly read: (
      user: UserEntity,
      given: GivenFactor,
      at: FactorHolder,
    ) => Outcome<UsedFactor, "invalid_mfa_code" | "rate_limited" | "session_required">
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
    const passkeys = yield* makePasskeyStore
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

    const codeOf = Effect.fnUntraced(function* (user: UserEntity, { code, kinds }: GivenCode) {
      if (kinds.includes("backup") && readBackupCode(code) !== undefined) {
        const stored = backupCodes.find(user.id, code, yield* store.backupCodes(user.id))
        return stored === undefined ? undefined : { kind: "backup" as const, value: stored }
      }
      const step = kinds.includes("totp") ? yield* stepOf(user.id, user.totpSecret, code) : undefined
      return step === undefined ? undefined : { kind: "totp" as const, value: String(step) }
    })

    const passkeyOf = Effect.fnUntraced(function* (
      userId: string,
      { assertion, party }: GivenPasskey,
      sessionId: string | undefined,
    ) {
      const known = (yield* passkeys.list(userId)).find(({ credentialId }) => credentialId === assertion.id)
      if (known === undefined) return yield* invalidPasskey()
      const signed = yield* readAssertion(party, assertion, known)
      if (signed === undefined) return yield* invalidPasskey()
      if (known.addedIn === sessionId) return yield* ownPasskey()
      const now = yield* Clock.currentTimeMillis
      const { challenge, counter, backedUp } = signed
      const used = { ...known, counter, backedUp, lastUsedAtMillis: now }
      return {
        kind: "passkey" as const,
        value: known.credentialId,
        challenge,
        before: recordOf(known),
        record: recordOf(used),
        now,
      }
    })

    return SecondFactors.of({
      read: Effect.fnUntraced(function* (user, given, at) {
        yield* beginTry(user.id, at)
        if ("assertion" in given) return yield* passkeyOf(user.id, given, at.sessionId)
        return (yield* codeOf(user, given)) ?? (yield* invalidMfaCode())
      }),
      pendingStep: Effect.fnUntraced(function* (user, code, at) {
        yield* beginTry(user.id, at)
        return (yield* stepOf(user.id, user.totpSecretPending, code)) ?? (yield* invalidMfaCode())
      }),
    })
  }),
)
