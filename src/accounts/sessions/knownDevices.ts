import { Clock, Context, Effect, Layer } from "effect"
import { AlertStore } from "../../../actors/ports/alertStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import { deviceName } from "../../mail/deviceName.ts"
import { makeKnownAddressStore } from "../../store/knownAddresses.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { clientOf } from "../clientAddress.ts"
import { SecurityNotices } from "../securityNotices.ts"
import { TrustedDevices } from "../twoFactor/trustedDevices.ts"
import type { SignInOrigin } from "./session.ts"

/** The device that a request shows. */
export interface ShownDevice {
  readonly ipAddress: string | undefined
  /** The cookie that `trustDevice` set. */
  readonly trustedDevice: string | undefined
}

/**
 * Devices that users signed in from: trusted by cookie, or at a known address
 * (docs/accounts.md#known-devices).
 */
export class KnownDevices extends Context.Service<
  KnownDevices,
  {
    /**
     * How the user is known on this device: by cookie, or by an address used within `knownAddressMillis`; else
     * undefined. Reads as much from the store when there is no user.
     */
    readonly knownAs: (
      user: UserEntity | undefined,
      device: ShownDevice,
    ) => Effect.Effect<"trustedDevice" | "address" | undefined, StoreUnavailable>
    /** Remembers the address of a sign-up or sign-in. Never fails: an address that could not be written is logged. */
    readonly remember: (userId: string, ipAddress: string | undefined) => Effect.Effect<void>
    /** The same for a sign-in; mails the user if the device is new. Never fails. */
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
    const alerts = yield* AlertStore

    /** Notes the address; whether it is new. */
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
      // A retry after a lost reply finds the address that was just added: one mail too many is better than none.
      return isNew || isUnknown
    })

    const isNew = (userId: string, ipAddress: string | undefined) =>
      Effect.catch(note(userId, ipAddress), ({ reason }) =>
        Effect.as(
          Effect.logError(`the address that user ${userId} signed in from was not stored: ${reason}`),
          // Unknown is not known.
          true,
        ),
      )

    /** The mail above is always sent; this is for a chat, if the seller wants it there. */
    const raise = Effect.fnUntraced(function* (sellerId: string, { userAgent }: SignInOrigin) {
      const about = `${yield* Clock.currentTimeMillis} ${deviceName(userAgent)}`
      yield* Effect.catch(askAgain(alerts.raise(sellerId, "new_sign_in", about)), ({ reason }) =>
        Effect.logError(`seller ${sellerId} is not told of a new sign-in in a chat: ${reason}`),
      )
    })

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
        if (user.sellerId !== undefined) yield* raise(user.sellerId, origin)
      }),
    })
  }),
)
