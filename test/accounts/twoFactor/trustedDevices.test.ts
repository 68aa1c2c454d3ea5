import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { limits } from "../../../schema/limits.ts"
import { TrustedDevices, TrustedDevicesLive } from "../../../src/accounts/twoFactor/trustedDevices.ts"
import { makeCipher } from "../../../src/crypto/cipher.ts"
import { type EncryptionKeys, plainKey } from "../../../src/crypto/encryptionKeys.ts"
import type { UserEntity } from "../../../src/store/users.ts"

const keyOf = (byte: number) => new Uint8Array(32).fill(byte)
const cipher = makeCipher(plainKey(keyOf(3)))
const userId = "00000000-0000-4000-8000-000000000001"
const place = sealedPlaces.totpSecret(userId)

const ana: UserEntity = {
  id: userId,
  email: "ana@example.com",
  name: "Ana",
  role: "seller",
  passwordHash: "$2b$12$first",
  emailVerified: true,
  twoFactorEnabled: true,
  totpSecret: cipher.seal("first", place),
  stepUpWebhook: true,
  stepUpAccount: true,
  createdAtMillis: 0,
  updatedAtMillis: 0,
}

const OpenerLive = Layer.succeed(SecretOpener, { open: cipher.open })
const DevicesLive = (keys: EncryptionKeys) => TrustedDevicesLive(keys).pipe(Layer.provide(OpenerLive))
const withDevices = <A, E>(program: Effect.Effect<A, E, TrustedDevices>) =>
  Effect.provide(program, DevicesLive(plainKey(keyOf(3))))

describe("a trusted device", () => {
  it.effect("a device is trusted for 30 days to the millisecond", () =>
    withDevices(
      Effect.gen(function* () {
        const devices = yield* TrustedDevices
        const value = yield* devices.issue(ana)
        assert.isTrue(yield* devices.isTrusted(value, ana))
        yield* TestClock.adjust(limits.trustedDeviceMillis - 1)
        assert.isTrue(yield* devices.isTrusted(value, ana))
        yield* TestClock.adjust(1)
        assert.isFalse(yield* devices.isTrusted(value, ana))
      }),
    ),
  )

  it.effect("a device's trust ends with the password or the second factor, and is no other user's", () =>
    withDevices(
      Effect.gen(function* () {
        const devices = yield* TrustedDevices
        const value = yield* devices.issue(ana)
        const { totpSecret: _, ...off } = ana
        const others: ReadonlyArray<UserEntity> = [
          { ...ana, passwordHash: "$2b$12$second" },
          { ...ana, totpSecret: cipher.seal("second", place) },
          { ...ana, id: "00000000-0000-4000-8000-000000000002" },
          off,
        ]
        for (const other of others) assert.isFalse(yield* devices.isTrusted(value, other))
        // A change of any other field does not end it.
        assert.isTrue(yield* devices.isTrusted(value, { ...ana, name: "Ana Maria", updatedAtMillis: 9 }))
      }),
    ),
  )

  it.effect("a device is trusted by one spelling of its value alone", () =>
    withDevices(
      Effect.gen(function* () {
        const devices = yield* TrustedDevices
        const value = yield* devices.issue(ana)
        const trusted: Array<string> = []
        for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
          const spelling = value.slice(0, -1) + last
          if (yield* devices.isTrusted(spelling, ana)) trusted.push(spelling)
        }
        assert.deepStrictEqual(trusted, [value])
      }),
    ),
  )

  it.effect(
    "a device is not trusted by a value of another key, or one that is altered, prolonged or malformed",
    () =>
      withDevices(
        Effect.gen(function* () {
          const devices = yield* TrustedDevices
          const value = yield* devices.issue(ana)
          const [until = "", tag = ""] = value.split(".")
          const foreign = yield* TrustedDevices.pipe(
            Effect.flatMap((others) => others.issue(ana)),
            Effect.provide(DevicesLive(plainKey(keyOf(4)))),
          )
          const altered = tag.startsWith("A") ? `B${tag.slice(1)}` : `A${tag.slice(1)}`
          const values = [
            ...[foreign, `${until}.${altered}`, `${Number(until) + 1}.${tag}`, `0${value}`, `${value}A`],
            ...["", ".", until, `${until}.`, `.${tag}`, `${until}.${tag.slice(1)}`, undefined],
          ]
          for (const wrong of values) assert.isFalse(yield* devices.isTrusted(wrong, ana), wrong)
        }),
      ),
  )

  it.effect(
    "a device stays trusted while its secret is encrypted anew, and while the key of its cookie is kept",
    () =>
      Effect.gen(function* () {
        const [older, newer] = [
          { id: "older", bytes: keyOf(3) },
          { id: "newer", bytes: keyOf(4) },
        ]
        const issue = Effect.flatMap(TrustedDevices, (devices) => devices.issue(ana))
        const value = yield* Effect.provide(issue, DevicesLive([older]))
        const isTrusted = (keys: EncryptionKeys, user: UserEntity) =>
          Effect.provide(
            Effect.flatMap(TrustedDevices, (devices) => devices.isTrusted(value, user)),
            DevicesLive(keys),
          )
        const anew = { ...ana, totpSecret: cipher.seal("first", place) }
        assert.isTrue(yield* isTrusted([newer, older], anew))
        assert.isFalse(yield* isTrusted([newer], anew))
      }),
  )
})
