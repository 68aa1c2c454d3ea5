import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { derivedKeys, type EncryptionKeys } from "../../crypto/encryptionKeys.ts"
import type { UserEntity } from "../../store/users.ts"

/**
 * Devices that skip the second factor for 30 days: a signed cookie bound to user, password and TOTP secret, so a
 * change of any ends it (docs/accounts.md#second-factor).
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

const make = Effect.fnUntraced(function* (encryptionKeys: EncryptionKeys) {
  const { open } = yield* SecretOpener
  const keys = derivedKeys(encryptionKeys, "trusted devices")
  /** By the secret itself: its ciphertext is another one after it was encrypted again. */
  const secretOf = ({ id, totpSecret }: UserEntity): string | undefined =>
    totpSecret === undefined ? "" : open(totpSecret, sealedPlaces.totpSecret(id))
  const tagOf = (user: UserEntity, untilMillis: number, key = keys[0]): Buffer =>
    createHmac("sha256", key)
      .update(
        JSON.stringify([user.id, untilMillis, user.passwordHash, secretOf(user) ?? null, user.signOuts ?? 0]),
      )
      .digest()

  return TrustedDevices.of({
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
        return keys.some((key) =>
          timingSafeEqual(
            Buffer.from(tag),
            Buffer.from(tagOf(user, Number(until), key).toString("base64url")),
          ),
        )
      }),
  })
})

/** Devices trusted under any of the keys; cookies are issued under the newest. */
export const TrustedDevicesLive = (encryptionKeys: EncryptionKeys) =>
  Layer.effect(TrustedDevices, make(encryptionKeys))
