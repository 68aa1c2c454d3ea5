import { Clock, Effect } from "effect"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { createTransaction } from "../../../actors/seller/operations/createTransaction.ts"
import { fullAccess } from "../../../actors/values/apiKeyAccess.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { type Mode, partitionOfId } from "../../../schema/ids.ts"
import type { Delivery } from "../../../schema/resources/delivery.ts"
import type { CreateTransaction, Transaction } from "../../../schema/resources/transaction.ts"
import { MemoryStore } from "../../model/state.ts"
import { bodyOf } from "./bodies.ts"
import { cipher, identifiers, type Process } from "./process.ts"

let count = 0
const unique = (what: string): string => `${what}-${++count}`

/** A seller with a key in each mode. */
export interface Shop {
  readonly sellerId: string
  readonly live: Principal
  readonly test: Principal
}

export interface ShopOptions extends Partial<StoredSeller> {
  readonly hasPostbackSecret?: boolean
  readonly partition?: number
  /** Sealed for the seller. */
  readonly plainDocument?: string | undefined
}

/** Opens a shop, by default in partition 0; `hasPostbackSecret: false` for a seller that has none. */
export const openShop = (overrides: ShopOptions = {}) =>
  Effect.gen(function* () {
    const { hasPostbackSecret = true, partition = 0, plainDocument, ...fields } = overrides
    const nowMillis = yield* Clock.currentTimeMillis
    const createdAt = new Date(nowMillis).toISOString()
    const id = identifiers.id("sel_", partition, nowMillis)
    const userId = "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f"
    const seller: StoredSeller = {
      ...newStoredSeller({ id, name: "Loja Um", userId, kycStatus: "approved", createdAt }),
      ...(plainDocument === undefined
        ? {}
        : { document: cipher.seal(plainDocument, sealedPlaces.sellerDocument(id)) }),
      ...fields,
    }
    const keyOf = (mode: Mode) => ({
      id: identifiers.id("key_", partition, nowMillis),
      keyHash: unique(`hash-of-${mode}`),
      mode,
      name: mode,
      keyPrefix: `sk_${mode}_0123`,
      createdAt,
      ...fullAccess,
    })
    const keys = [keyOf("live"), keyOf("test")] as const
    const postback = {
      secret: cipher.seal("secret-of-postbacks", sealedPlaces.postbackSecret(id)),
      prefix: "secret",
      rotatedAt: createdAt,
    }
    const secret = hasPostbackSecret ? postback : undefined
    yield* (yield* SellerStore).create(seller, keys, secret)
    const [live, test] = keys.map(
      (key): Principal => ({ sellerId: id, mode: key.mode, keyId: key.id, keyHash: key.keyHash }),
    ) as [Principal, Principal]
    return { sellerId: id, live, test } satisfies Shop
  })

/** Adds an endpoint, which by default subscribes to every event. */
export const openEndpoint = (owner: Principal, events: ReadonlyArray<string> = ["*"]) =>
  Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    const id = identifiers.id("we_", partitionOfId(owner.sellerId) ?? 0, nowMillis)
    const url = `https://${id.slice(-4).toLowerCase()}.shop.example/hooks`
    yield* (yield* SellerStore).createEndpoint({
      id,
      sellerId: owner.sellerId,
      mode: owner.mode,
      url,
      events,
      description: undefined,
      secret: cipher.seal(`secret-of-${id}`, sealedPlaces.endpointSecret(id)),
      secretPrefix: "whsec_",
      createdAt: new Date(nowMillis).toISOString(),
    })
    return { id, url }
  })

export interface ChargeOptions {
  readonly body?: Partial<CreateTransaction>
  /** The `Idempotency-Key`; by default a new one. */
  readonly key?: string
  readonly fingerprint?: string
  readonly executionId?: string
  readonly requestId?: string
}

/** Asks the seller's actor for a charge, as the HTTP front end does; each run is a request of its own. */
export const requestCharge = (process: Process, owner: Principal, options: ChargeOptions = {}) =>
  Effect.suspend(() =>
    process.sellers.ask(createTransaction, {
      principal: owner,
      body: bodyOf(options.body),
      idempotency: {
        route: "transactions",
        key: options.key ?? unique("key"),
        fingerprint: options.fingerprint ?? "fingerprint-of-the-body",
        executionId: options.executionId ?? unique("execution"),
      },
      requestId: options.requestId ?? unique("req"),
    }),
  )

/** The error of a request that an actor cannot take. */
export const overloaded = { code: "service_unavailable", status: 503, retryAfterSeconds: 1 } as const

/** Creates a charge and returns it as answered; dies if it was not created. */
export const createCharge = (process: Process, owner: Principal, options: ChargeOptions = {}) =>
  Effect.flatMap(requestCharge(process, owner, options), (answer) =>
    answer.kind === "answered" && answer.status === 201
      ? Effect.succeed(JSON.parse(answer.body) as Transaction)
      : Effect.die(new Error(`no charge: ${JSON.stringify(answer)}`)),
  )

/** A charge as it is stored now. */
export const chargeNow = (id: string) =>
  Effect.gen(function* () {
    const stored = yield* (yield* TransactionStore).load(id)
    if (stored === undefined) return yield* Effect.die(new Error(`no charge ${id}`))
    return JSON.parse(stored.document) as Transaction
  })

/** A feed's entries, oldest first. */
export const eventsOf = ({ sellerId, mode }: Principal) =>
  Effect.flatMap(EventLog, (log) => log.readAfter({ sellerId, mode }, "0", 10_000))

/** The types of a resource's events, oldest first. */
export const eventTypesOf = (owner: Principal, resourceId: string) =>
  Effect.map(eventsOf(owner), (entries) =>
    entries.filter((entry) => entry.resourceId === resourceId).map(({ type }) => type),
  )

/** The names of the timers that are set for a resource. */
export const timersOf = (resourceId: string) =>
  Effect.map(MemoryStore, (state) =>
    [...state.timers.values()]
      .filter((timer) => timer.resourceId === resourceId)
      .map(({ name }) => name)
      .sort(),
  )

/** All recorded attempts of a seller and mode, oldest first. */
export const attemptsOf = (owner: Principal) =>
  Effect.gen(function* () {
    const rows: Array<Delivery> = []
    let beforeId: string | undefined
    do {
      const page = yield* (yield* DeliveryQueue).list(owner, {
        endpointId: undefined,
        eventId: undefined,
        eventType: undefined,
        status: undefined,
        fromMillis: undefined,
        toMillis: undefined,
        beforeId,
        limit: 100,
      })
      if ("kind" in page) return yield* Effect.die(new Error(page.kind))
      rows.push(...page.rows.map((row): Delivery => JSON.parse(row)))
      beforeId = page.nextBeforeId
    } while (beforeId !== undefined)
    return rows.reverse()
  })
