import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { type Mode, makeId } from "../../../schema/ids.ts"
import { AccountSecrets } from "../../../src/accounts/accountSecrets.ts"
import { CipherLive, makeCipher, makeFingerprints } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { generateEndpointSecret } from "../../../src/delivery/signature.ts"

const key = new Uint8Array(32).fill(9)

/** The cipher of all secrets in these tests. */
export const cipher = makeCipher(plainKey(key))

/** The services that seal and open secrets. */
export const SecretsLive = Layer.merge(
  CipherLive(plainKey(key)),
  Layer.succeed(AccountSecrets, {
    signingSecret: () => generateEndpointSecret(randomBytes),
    seal: cipher.seal,
    fingerprints: makeFingerprints(plainKey(key)),
  }),
)

/** A fresh id of partition 11. */
export const freshSellerId = (): string => makeId("sel_", 1_700_000_000_000, 11, randomBytes(14))

/** Fields of a seller; a plain document is sealed for it. */
type SellerFields = Partial<StoredSeller> & { readonly plainDocument?: string }

/** A new seller with the given fields changed; it is not stored. */
export const sellerWith = ({
  plainDocument,
  id = freshSellerId(),
  ...fields
}: SellerFields = {}): StoredSeller => ({
  ...newStoredSeller({
    id,
    name: "Loja da Ana",
    userId: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
    kycStatus: "none",
    createdAt: "2026-11-21T00:07:35.123Z",
  }),
  ...(plainDocument === undefined
    ? {}
    : { document: cipher.seal(plainDocument, sealedPlaces.sellerDocument(id)) }),
  ...fields,
})

/** Stores a new seller, without keys or postback secret. */
export const openSeller = (fields: SellerFields = {}) =>
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
