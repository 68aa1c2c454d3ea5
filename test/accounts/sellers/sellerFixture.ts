import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { type Mode, makeId } from "../../../schema/ids.ts"
import { AccountSecrets } from "../../../src/accounts/accountSecrets.ts"
import { CipherLive, makeCipher, makeFingerprint } from "../../../src/crypto/cipher.ts"
import { generateEndpointSecret } from "../../../src/delivery/signature.ts"

const key = new Uint8Array(32).fill(9)

/** The cipher of all secrets in these tests. */
export const cipher = makeCipher(key)

/** The services that seal and open secrets. */
export const SecretsLive = Layer.merge(
  CipherLive(key),
  Layer.succeed(AccountSecrets, {
    signingSecret: () => generateEndpointSecret(randomBytes),
    seal: cipher.seal,
    fingerprint: makeFingerprint(key),
  }),
)

/** A fresh id of partition 11. */
export const freshSellerId = (): string => makeId("sel_", 1_700_000_000_000, 11, randomBytes(14))

/** A new seller with the given fields changed; it is not stored. */
export const sellerWith = (fields: Partial<StoredSeller> = {}): StoredSeller => ({
  ...newStoredSeller({
    id: freshSellerId(),
    name: "Loja da Ana",
    userId: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
    kycStatus: "none",
    createdAt: "2026-11-21T00:07:35.123Z",
  }),
  ...fields,
})

/** Stores a new seller, without keys or postback secret. */
export const openSeller = (fields: Partial<StoredSeller> = {}) =>
  Effect.gen(function* () {
    const seller = sellerWith(fields)
    yield* (yield* SellerStore).create(seller, [], undefined)
    return seller
  })

/** A seller's events of one mode as type, resource and data, oldest first. */
export const eventsOf = (sellerId: string, mode: Mode) =>
  Effect.gen(function* () {
    const entries = yield* (yield* EventLog).readAfter({ sellerId, mode }, "0", 1_000)
    return entries.map(({ type, resourceId, data }) => ({
      type,
      resourceId,
      data: JSON.parse(data) as unknown,
    }))
  })
