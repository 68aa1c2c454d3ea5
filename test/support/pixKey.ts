import { hash, randomBytes, randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { PixKeyStore, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { type Mode, makeId } from "../../schema/ids.ts"
import type { PixKeyStatus } from "../../schema/resources/pixKey.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { PixKeyStoreLive } from "../../src/store/pixKeys.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import type { TestSeller } from "./seller.ts"
import { StoreOptionsLive } from "./storeOptions.ts"

/** Makes a PIX key with any status directly in the store of a running service, and returns its id. */
export const makePixKey = async (
  { service }: { readonly service: { readonly redisUrl: string; readonly encryptionKey: Uint8Array } },
  seller: Pick<TestSeller, "id" | "partition">,
  mode: Mode,
  status: PixKeyStatus = "verified",
): Promise<string> => {
  const email = `${randomUUID()}@example.com`
  const createdAt = new Date().toISOString()
  const id = makeId("pk_", Date.now(), seller.partition, randomBytes(14))
  const pixKey: StoredPixKey = {
    id,
    sellerId: seller.id,
    mode,
    type: "email",
    value: makeCipher(plainKey(service.encryptionKey)).seal(email, sealedPlaces.pixKeyValue(id)),
    valueHash: hash("sha256", `email:${email}`, "base64url"),
    maskedValue: "***@example.com",
    status: "pending_approval",
    version: 1,
    createdAt,
    verifiedAt: undefined,
  }
  const program = Effect.gen(function* () {
    const store = yield* PixKeyStore
    const { kind } = yield* store.create(pixKey)
    if (kind !== "created") throw new Error(`The PIX key was not created: ${kind}`)
    if (status === pixKey.status) return
    const verifiedAt = status === "verified" ? createdAt : undefined
    const decided = yield* store.transition({ pixKey, to: status, verifiedAt })
    if (decided.kind !== "applied") throw new Error(`The PIX key is not ${status}: ${decided.kind}`)
  })
  const layer = PixKeyStoreLive.pipe(
    Layer.provide(StoreOptionsLive),
    Layer.provide(RedisClientLive(service.redisUrl)),
  )
  await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  return pixKey.id
}
