import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import {
  PostbackSecrets,
  PostbackSecretsLive,
} from "../../../src/accounts/webhookSettings/postbackSecrets.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { cipher, openSeller, SecretsLive } from "../sellers/sellerFixture.ts"

const TestLayer = PostbackSecretsLive.pipe(Layer.provide(SecretsLive), Layer.provideMerge(MemoryStoreLive()))

describe("a postback secret", () => {
  it.effect("a seller has no postback secret at first, and a rotation makes the first", () =>
    Effect.gen(function* () {
      const secrets = yield* PostbackSecrets
      const { id } = yield* openSeller()
      const none = { prefix: null, rotated_at: null, previous_valid_until: null }
      expect(yield* secrets.info(id)).toEqual(none)
      yield* TestClock.setTime(1_800_000_000_000)
      const { secret } = yield* secrets.rotate(id)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
      expect(yield* secrets.info(id)).toEqual({
        prefix: secret.slice(0, 12),
        rotated_at: "2027-01-15T08:00:00.000Z",
        previous_valid_until: null,
      })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a postback secret is stored as ciphertext and replaced by a rotation", () =>
    Effect.gen(function* () {
      const secrets = yield* PostbackSecrets
      const { id } = yield* openSeller()
      const first = yield* secrets.rotate(id)
      const second = yield* secrets.rotate(id)
      expect(second.secret).not.toBe(first.secret)
      const stored = yield* (yield* SellerStore).postbackSecret(id)
      expect(cipher.open(stored?.secret ?? "", sealedPlaces.postbackSecret(id))).toBe(second.secret)
    }).pipe(Effect.provide(TestLayer)),
  )
})
