import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { UserEntity } from "../../store/users/userStore.ts"

/**
 * Devices that skip the second factor for 30 days: a signed cookie bound to user, password and TOTP secret, so a
 * change of any ends it (docs/decisions/0054-trusted-device-cookie.md).
 */
export class TrustedDevices extends Context.Service<
  TrustedDevices,
  {
    /** The cookie value for a device that the user trusts from now on. */
    readonly issue: (user: UserEntity) => Effect.Effect<string>
    /** Whether a cookie value is valid for the user. */
    readonly isTrusted: (value: string | undefined, user: UserEntity) => Effect.Effect<boolean>
  }
>()("corrente/accounts/TrustedDevices") {}

/** Left out for those who were never signed out, so that the devices trusted by earlier builds still are. */
const signOutsOf = ({ signOuts }: UserEntity): ReadonlyArray<number> =>
  signOuts === undefined ? [] : [signOuts]

/** `encryptionKey` has 32 bytes. */
export const TrustedDevicesLive = (encryptionKey: Uint8Array) => {
  const key = createHmac("sha256", encryptionKey).update("trusted devices").digest()
  const tagOf = (user: UserEntity, untilMillis: number): Buffer =>
    createHmac("sha256", key)
      .update(
        JSON.stringify([user.id, untilMillis, user.passwordHash, user.totpSecret ?? "", ...signOutsOf(user)]),
      )
      .digest()

  return Layer.succeed(TrustedDevices, {
    issue: (user) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const untilMillis = nowMillis + limits.trustedDeviceMillis
        return `${untilMillis}.${tagOf(user, untilMillis).toString("base64url")}`
      }),
    isTrusted: (value, user) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => {
        const [, until, tag] = /^([1-9]\d{0,14})\.([A-Za-z0-9_-]{43})$/.exec(value ?? "") ?? []
        if (until === undefined || tag === undefined || Number(until) <= nowMillis) return false
        // As text: base64url ignores some bits of the last character, and guesses are counted by the value as it was sent.
        const expected = tagOf(user, Number(until)).toString("base64url")
        return timingSafeEqual(Buffer.from(tag), Buffer.from(expected))
      }),
  })
}
