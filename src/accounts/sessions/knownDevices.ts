import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { limits } from "../../../schema/limits.ts"
import { makeKnownAddressStore } from "../../store/sessions/knownAddressStore.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { askAgain } from "../askAgain.ts"
import { clientOf } from "../clientAddress.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { TrustedDevices } from "../twoFactor/trustedDevices.ts"
import type { SignInOrigin } from "./session.ts"

/** What a request shows of the device that it comes from. */
export interface ShownDevice {
  readonly ipAddress: string | undefined
  /** Of the cookie that `trustDevice` set. */
  readonly trustedDevice: string | undefined
}

/** Which devices users have signed in from: those with a trusted device's cookie, or at an address used before. */
export class KnownDevices extends Context.Service<
  KnownDevices,
  {
    /**
     * What the user has signed in from before: its trusted device, or its address within `knownAddressMillis`. Undefined
     * for neither; asks as much of the store for no user, who has signed in from nowhere.
     */
    readonly knownAs: (
      user: UserEntity | undefined,
      device: ShownDevice,
    ) => Effect.Effect<"trustedDevice" | "address" | undefined, StoreUnavailable>
    /** Remembers where a user has just signed up or in. Never fails: what is not written leaves a line in the log. */
    readonly remember: (userId: string, ipAddress: string | undefined) => Effect.Effect<void>
    /** The same of a sign-in; where the device was not known, its user is told by mail. Never fails either. */
    readonly signedIn: (
      user: UserEntity,
      origin: SignInOrigin,
      trustedDevice: string | undefined,
    ) => Effect.Effect<void>
  }
>()("corrente/accounts/KnownDevices") {}

export const KnownDevicesLive = Layer.effect(
  KnownDevices,
  Effect.gen(function* () {
    const store = yield* makeKnownAddressStore
    const trusted = yield* TrustedDevices
    const notices = yield* SecurityNotices

    /** Whether the address is one that was not known. */
    const note = Effect.fnUntraced(function* (userId: string, ipAddress: string | undefined) {
      if (ipAddress === undefined) return true
      const noted = store.note(userId, clientOf(ipAddress), yield* Clock.currentTimeMillis)
      let isUnknown = false
      const isNew = yield* askAgain(
        Effect.tapError(noted, () =>
          Effect.sync(() => {
            isUnknown = true
          }),
        ),
      )
      // Asked again after a lost reply, Redis finds what it had just added: a mail too many is better than none.
      return isNew || isUnknown
    })

    const isNew = (userId: string, ipAddress: string | undefined) =>
      Effect.catch(note(userId, ipAddress), ({ reason }) =>
        Effect.as(
          Effect.logError(`where user ${userId} signed in from was not remembered: ${reason}`),
          // Unknown is not known.
          true,
        ),
      )

    return KnownDevices.of({
      knownAs: Effect.fnUntraced(function* (user, { ipAddress, trustedDevice }) {
        if (user !== undefined && (yield* trusted.isTrusted(trustedDevice, user))) return "trustedDevice"
        if (ipAddress === undefined) return undefined
        const lastMillis = yield* store.lastUsedMillis(user?.id, clientOf(ipAddress))
        const sinceMillis = (yield* Clock.currentTimeMillis) - limits.knownAddressMillis
        return lastMillis > sinceMillis ? "address" : undefined
      }),
      remember: (userId, ipAddress) => Effect.asVoid(isNew(userId, ipAddress)),
      signedIn: Effect.fnUntraced(function* (user, origin, trustedDevice) {
        const isNewAddress = yield* isNew(user.id, origin.ipAddress)
        if (!isNewAddress || (yield* trusted.isTrusted(trustedDevice, user))) return
        yield* notices.tell(user.id, { kind: "new_device", origin })
      }),
    })
  }),
)
