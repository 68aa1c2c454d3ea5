import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { type ApiKeyAccess, fullAccess } from "../../actors/values/apiKeyAccess.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { type IdPrefix, type Mode, makeApiKey, makeId } from "../../schema/ids.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import type { KycStatus } from "../../schema/resources/seller.ts"
import { hashApiKey } from "../../src/accounts/apiKeys/apiKeySecret.ts"
import { termOfDocument } from "../../src/accounts/sellers/documentTerm.ts"
import { makeCipher, makeFingerprints } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { SellerStoreLive } from "../../src/store/sellers.ts"
import { StoreOptionsLive } from "./storeOptions.ts"

export interface SellerOptions {
  readonly name?: string
  /** The user who owns it. Default: one that does not exist. */
  readonly userId?: string
  /** Default: approved. */
  readonly kycStatus?: KycStatus
  /** A bare CPF or CNPJ. Default: none. */
  readonly document?: string
  /** Below the service's PARTITIONS. Default: any of the first 64. */
  readonly partition?: number
  /** What its keys may do and from where. Default: everything, from anywhere. */
  readonly access?: ApiKeyAccess
  readonly endpoints?: ReadonlyArray<{
    readonly url: string
    readonly events: ReadonlyArray<string>
    /** Default: test. */
    readonly mode?: Mode
    /** Default: none. */
    readonly ordering?: Ordering
  }>
}

/** A seller with an API key of each mode. */
export interface TestSeller {
  readonly id: string
  readonly partition: number
  readonly keys: Readonly<Record<Mode, string>>
  readonly postbackSecret: string
  /** In the order of the options. */
  readonly endpoints: ReadonlyArray<{ readonly id: string; readonly url: string; readonly secret: string }>
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const lastCharacters = "AEIMQUYcgkosw048"
const pick = (characters: string): string => characters[randomInt(characters.length)] ?? ""

/** `whsec_` and 43 characters that are base64 too (`docs/contract/endpoints.md#secret`). */
const signingSecret = (): string =>
  `whsec_${Array.from({ length: 42 }, () => pick(alphanumeric)).join("")}${pick(lastCharacters)}`

const newKey = (mode: Mode, partition: number, id: string, access: ApiKeyAccess) => {
  const key = makeApiKey(mode, partition, randomBytes(41))
  const createdAt = new Date().toISOString()
  return {
    key,
    record: {
      ...{ id, keyHash: hashApiKey(key), mode, name: mode, keyPrefix: key.slice(0, 12), createdAt },
      ...access,
    },
  }
}

/**
 * Makes a seller directly in the store of a running service: fast, and without the destination check, so that its
 * endpoints may be receivers of the test (the service delivers to those that WEBHOOK_ALLOW_DESTINATIONS names).
 */
export const makeSeller = async (
  service: { readonly redisUrl: string; readonly encryptionKey: Uint8Array },
  options: SellerOptions = {},
): Promise<TestSeller> => {
  const partition = options.partition ?? randomInt(64)
  const { seal } = makeCipher(plainKey(service.encryptionKey))
  const newId = (prefix: IdPrefix) => makeId(prefix, Date.now(), partition, randomBytes(14))
  const createdAt = new Date().toISOString()
  const { access = fullAccess } = options
  const live = newKey("live", partition, newId("key_"), access)
  const test = newKey("test", partition, newId("key_"), access)
  const seller: TestSeller = {
    id: newId("sel_"),
    partition,
    keys: { live: live.key, test: test.key },
    postbackSecret: signingSecret(),
    endpoints: (options.endpoints ?? []).map(({ url }) => ({
      id: newId("we_"),
      url,
      secret: signingSecret(),
    })),
  }
  const stored = newStoredSeller({
    id: seller.id,
    name: options.name ?? "Loja de teste",
    userId: options.userId ?? randomUUID(),
    kycStatus: options.kycStatus ?? "approved",
    document:
      options.document === undefined
        ? undefined
        : seal(options.document, sealedPlaces.sellerDocument(seller.id)),
    createdAt,
  })
  const { postbackSecret } = seller
  const postback = {
    secret: seal(postbackSecret, sealedPlaces.postbackSecret(seller.id)),
    prefix: postbackSecret.slice(0, 12),
    rotatedAt: createdAt,
  }

  const term =
    options.document === undefined
      ? undefined
      : termOfDocument({ fingerprints: makeFingerprints(plainKey(service.encryptionKey)) }, options.document)

  const program = Effect.gen(function* () {
    const store = yield* SellerStore
    yield* store.create(stored, [live.record, test.record], postback, term)
    for (const [i, { id, url, secret }] of seller.endpoints.entries()) {
      const { events = ["*"], mode = "test", ordering = "none" } = options.endpoints?.[i] ?? {}
      const shown = { url, events, ordering, description: undefined, createdAt }
      const { kind } = yield* store.createEndpoint({
        ...{ id, sellerId: seller.id, mode, ...shown },
        secret: seal(secret, sealedPlaces.endpointSecret(id)),
        secretPrefix: secret.slice(0, 6),
      })
      if (kind !== "created") throw new Error(`The endpoint ${url} was not created: ${kind}`)
    }
  })
  const layer = SellerStoreLive.pipe(
    Layer.provide(Layer.merge(StoreOptionsLive, RedisClientLive(service.redisUrl))),
  )
  await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  return seller
}
