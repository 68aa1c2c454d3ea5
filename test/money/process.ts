import { Effect, Layer, ManagedRuntime } from "effect"
import { InboxLive } from "../../actors/inbox/inbox.ts"
import { type Acquirer, Acquirers, NoticeSources } from "../../actors/ports/acquirer.ts"
import { CustomerDigests } from "../../actors/ports/customerDigests.ts"
import { ExceptionRules } from "../../actors/ports/exceptionRules.ts"
import { PartitionCount } from "../../actors/ports/partitionCount.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import { type SellerSettings, SellerStore } from "../../actors/ports/sellerStore.ts"
import { SimulatedOperator } from "../../actors/ports/simulatedOperator.ts"
import { initialSettings, newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { SellerActorsLive } from "../../actors/seller/sellerActor.ts"
import { sessionPrincipal } from "../../actors/values/principal.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { type Mode, makeId } from "../../schema/ids.ts"
import { readNotices } from "../../src/acquirers/apiPix/notices.ts"
import { CipherLive, makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../src/crypto/identifiers.ts"
import { PixCodeLive } from "../../src/pixCode/pixCode.ts"
import { makeCustomerDigests } from "../../src/store/customerDigests.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"

const key = new Uint8Array(32).fill(9)
const cipher = makeCipher(plainKey(key))
/** Partitions of these processes. */
export const partitions = 8

/** The secret that the acquirer signs its notices with in these tests. */
export const noticeSecret = "the acquirer's webhook secret"

/** How much the stores of these processes keep, and of how many partitions. */
export const storeOptions = { retentionMillis: 86_400_000, partitions } as const

/** The money part of a process of the service, on a store: no front end, and no scheduler, so no timer fires by itself. */
export const moneyProcess = <Stores, E>(
  store: Layer.Layer<Stores, E>,
  { acquirer }: { readonly acquirer: Acquirer },
  gate?: (typeof PayoutGate)["Service"],
) => {
  const source = { slug: "acquirer", secret: noticeSecret, read: readNotices }
  const adapters = Layer.mergeAll(
    Layer.succeed(Acquirers, { live: acquirer, test: acquirer }),
    Layer.succeed(NoticeSources, new Map([["acquirer", source]])),
    PixCodeLive({ merchantName: "Padaria", merchantCity: "Recife" }),
    Layer.succeed(CustomerDigests, makeCustomerDigests(key)),
    CipherLive(plainKey(key)),
    IdentifiersLive,
    Layer.succeed(SimulatedOperator, { delayMillis: 3_000 }),
    Layer.succeed(PartitionCount, { partitions }),
    Layer.succeed(ExceptionRules, { payoutStuckMillis: 3_600_000, operatorApprovals: 1 }),
    store,
  )
  const actors = InboxLive.pipe(Layer.provideMerge(SellerActorsLive))
  const process = actors.pipe(Layer.provideMerge(adapters))
  return gate === undefined ? process : Layer.provideMerge(process, Layer.succeed(PayoutGate, gate))
}

/** Starts such a process on a real Redis. */
export const startMoneyProcess = (
  redisUrl: string,
  books: { readonly acquirer: Acquirer },
  processId: string,
) => ManagedRuntime.make(moneyProcess(RedisStoreLive(redisUrl, { ...storeOptions, processId }), books))

let made = 0
const nextId = (prefix: "sel_" | "pk_"): string => {
  made += 1
  const bytes = Uint8Array.from({ length: 14 }, (_, i) => Math.floor(made / 32 ** (13 - i)) & 31)
  return makeId(prefix, Date.now(), made % partitions, bytes)
}

/** Stores a seller with one verified PIX key of a mode; returns the key's id and a principal of that mode. */
export const makeSeller = Effect.fnUntraced(function* (
  settings: Partial<SellerSettings> = {},
  mode: Mode = "test",
) {
  const sellers = yield* SellerStore
  const pixKeys = yield* PixKeyStore
  const now = new Date().toISOString()
  const id = nextId("sel_")
  const seller = newStoredSeller({
    ...{ id, name: "Padaria", userId: "a7f5f354-0000-4000-8000-000000000000" },
    ...{ kycStatus: "approved", createdAt: now },
  })
  yield* sellers.create({ ...seller, settings: { ...initialSettings, ...settings } }, [], undefined)
  // In the seller's partition, as all ids of a seller are.
  const pixKeyId = `pk_${id.slice(4)}`
  yield* pixKeys.create({
    ...{ id: pixKeyId, sellerId: id, mode, type: "email", status: "verified", version: 1 },
    value: cipher.seal("ana@example.com", sealedPlaces.pixKeyValue(pixKeyId)),
    valueHash: "hash",
    maskedValue: "a***@example.com",
    createdAt: now,
    verifiedAt: now,
  })
  return { principal: sessionPrincipal(id, mode, "a7f5f354"), pixKeyId }
})
