import { createHash, randomBytes } from "node:crypto"
import { Effect, Queue } from "effect"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import {
  type NewApiKey,
  type NewEndpoint,
  type PostbackSecret,
  SellerStore,
  type StoredSeller,
} from "../../actors/ports/sellerStore.ts"
import { type SlotAnswer, StreamSlots } from "../../actors/ports/streamSlots.ts"
import {
  type CreateTransactionCommit,
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../actors/ports/transactionStore.ts"
import { initialSettings, newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { fullAccess, scopeBits } from "../../actors/values/apiKeyAccess.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { KeyPrincipal, Principal } from "../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Timer } from "../../actors/values/timer.ts"
import { transactionEventType } from "../../schema/events.ts"
import { type Feed, type IdPrefix, type Mode, makeId, partitionOfId } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { elapse, nowMillis, Stage } from "./stage.ts"

/** A fresh id of a partition, at the clock's time. */
export const freshId = (prefix: IdPrefix, partition: number) =>
  Effect.map(nowMillis, (millis) => makeId(prefix, millis, partition, randomBytes(14)))

/** A fresh id in the partition of another. */
export const freshIdBeside = (prefix: IdPrefix, id: string) => freshId(prefix, partitionOfId(id) ?? 0)

/** Runs a step of a case's set-up; its answer must be of that kind. */
export const expectKind = <E, R>(kind: string, step: Effect.Effect<{ readonly kind: string }, E, R>) =>
  Effect.flatMap(step, (answer) =>
    answer.kind === kind ? Effect.void : Effect.die(new Error(`'${answer.kind}' instead of '${kind}'`)),
  )

/** A seller with a key in each mode. */
export interface Shop {
  readonly sellerId: string
  readonly partition: number
  readonly live: KeyPrincipal
  readonly test: KeyPrincipal
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** A seller not yet written, and what its creation takes. */
export const newSeller = (overrides: Partial<StoredSeller> = {}) =>
  Effect.gen(function* () {
    const { settings } = yield* Stage
    const partition = (randomBytes(2).readUInt16BE() % settings.partitions) | 0
    const id = yield* freshId("sel_", partition)
    const createdAt = "2026-11-21T00:07:35.123Z"
    const userId = "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f"
    const seller: StoredSeller = {
      ...newStoredSeller({ id, name: "Loja Um", userId, kycStatus: "approved", createdAt }),
      settings: { ...initialSettings, chargeFeeBps: 99, chargeFeeFixed: 10 },
      ...overrides,
    }
    const keyOf = (mode: Mode, keyId: string) => ({
      id: keyId,
      keyHash: hashOf(`${id}:${mode}`),
      mode,
      name: `key of ${mode}`,
      keyPrefix: `sk_${mode}_0123`,
      createdAt: seller.createdAt,
      ...fullAccess,
    })
    const keys = [
      keyOf("live", yield* freshIdBeside("key_", id)),
      keyOf("test", yield* freshIdBeside("key_", id)),
    ] as const
    return { seller, keys, partition: partitionOfId(id) ?? 0 }
  })

/** A written key as a principal. */
export const keyPrincipalOf = (sellerId: string, key: NewApiKey): KeyPrincipal => ({
  sellerId,
  mode: key.mode,
  keyId: key.id,
  keyHash: key.keyHash,
  scopeBits: scopeBits(key.scopes),
  allowedIps: key.allowedIps,
})

/** A postback secret as it is stored. */
export const postbackOf = (secret: string): PostbackSecret => ({
  secret,
  prefix: "whsec_abcdef",
  rotatedAt: "2026-11-21T00:07:35.123Z",
})

/** A written seller; an empty postback secret means none. */
export const openShop = (
  overrides: Partial<StoredSeller> & { readonly postbackSecret?: string } = {},
): Effect.Effect<Shop, unknown, SellerStore | Stage> =>
  Effect.gen(function* () {
    const { postbackSecret = "secret-of-postbacks", ...fields } = overrides
    const { seller, keys, partition } = yield* newSeller(fields)
    yield* expectKind(
      "created",
      (yield* SellerStore).create(
        seller,
        keys,
        postbackSecret === "" ? undefined : postbackOf(postbackSecret),
      ),
    )
    const [live, test] = keys.map((key) => keyPrincipalOf(seller.id, key)) as [KeyPrincipal, KeyPrincipal]
    return { sellerId: seller.id, partition, live, test }
  })

/** Asks for a stream's slot, as the owner of the feed. */
export const takeSlot = (
  { sellerId, mode, keyHash }: Principal,
  connectionId: string,
  requestedEntryId?: string,
): Effect.Effect<SlotAnswer, StoreUnavailable, StreamSlots> =>
  Effect.flatMap(StreamSlots, (slots) =>
    slots.take({ feed: { sellerId, mode }, keyHash, connectionId, requestedEntryId }),
  )

/** An endpoint not yet written. */
export const newEndpoint = (owner: Principal, events: ReadonlyArray<string>) =>
  Effect.map(
    freshIdBeside("we_", owner.sellerId),
    (id): NewEndpoint => ({
      id,
      sellerId: owner.sellerId,
      mode: owner.mode,
      url: `https://${id.toLowerCase()}.example/hooks`,
      events,
      description: undefined,
      secret: `secret-of-${id}`,
      secretPrefix: "whsec_",
      createdAt: "2026-11-21T00:07:35.123Z",
    }),
  )

/** A written endpoint; by default subscribed to everything. */
export const openEndpoint = (owner: Principal, events: ReadonlyArray<string> = ["*"]) =>
  Effect.gen(function* () {
    const endpoint = yield* newEndpoint(owner, events)
    yield* expectKind("created", (yield* SellerStore).createEndpoint(endpoint))
    return endpoint
  })

let counter = 0
/** A word that no other call returns. */
export const unique = (what: string): string => `${what}-${++counter}`

export const newScope = (overrides: Partial<IdempotencyScope> = {}): IdempotencyScope => ({
  route: "POST /v1/transactions",
  key: unique("key"),
  fingerprint: "fingerprint-of-the-body",
  executionId: unique("execution"),
  ...overrides,
})

/** A charge's document; the store keeps it as it is. */
export const chargeDocument = (id: string, status: string): string =>
  JSON.stringify({
    id,
    status,
    customer: { name: "João", document: "aes:…" },
    paid_at: status === "pending" || status === "expired" ? null : "2026-11-21T00:00:00.000Z",
    reserve: null,
    note: `"quoted"\n${unique("text")}`,
  })

/** A charge not yet written. */
export const newCharge = (owner: Principal) =>
  Effect.map(
    freshIdBeside("txn_", owner.sellerId),
    (id): StoredTransaction => ({
      id,
      sellerId: owner.sellerId,
      mode: owner.mode,
      status: "pending",
      version: 1,
      document: chargeDocument(id, "pending"),
    }),
  )

/** What the creation of a charge commits. */
export const creationOf = (
  owner: Principal,
  transaction: StoredTransaction,
  overrides: Partial<CreateTransactionCommit> = {},
): CreateTransactionCommit => ({
  principal: owner,
  idempotency: newScope(),
  transaction,
  eventType: "transaction.created",
  timers: [],
  ...overrides,
})

/** A written charge. */
export const openCharge = (owner: Principal, timers: ReadonlyArray<Omit<Timer, "resourceId">> = []) =>
  Effect.gen(function* () {
    const charge = yield* newCharge(owner)
    const own = timers.map((timer) => ({ ...timer, resourceId: charge.id }))
    const creation = creationOf(owner, charge, { timers: own })
    yield* expectKind("created", (yield* TransactionStore).create(creation))
    return charge
  })

/** What a transition of a charge as read commits. */
export const transitionOf = (
  charge: StoredTransaction,
  to: TransactionStatus,
  overrides: Partial<TransitionCommit> = {},
): TransitionCommit => ({
  sellerId: charge.sellerId,
  mode: charge.mode,
  transactionId: charge.id,
  expectedVersion: charge.version,
  from: charge.status,
  to,
  document: chargeDocument(charge.id, to),
  eventType: transactionEventType(to),
  movement: undefined,
  postback: undefined,
  timers: [],
  timersDone: [],
  ...overrides,
})

/** Applies a transition; returns the charge as it is afterwards. */
export const move = (
  charge: StoredTransaction,
  to: TransactionStatus,
  overrides: Partial<TransitionCommit> = {},
) =>
  Effect.gen(function* () {
    const commit = transitionOf(charge, to, overrides)
    yield* expectKind("applied", (yield* TransactionStore).transition(commit))
    return { ...charge, status: to, version: charge.version + 1, document: commit.document }
  })

/** All kept events of a feed. */
export const eventsOf = (feed: Feed) =>
  Effect.flatMap(EventLog, (log) => log.readAfter({ sellerId: feed.sellerId, mode: feed.mode }, "0", 10_000))

/**
 * Collects hints from now on, without those of entries that the owners' feeds already have: between the nodes of a
 * cluster these may still be on their way. Waiting for a hint ends at the test's deadline.
 */
export const listenToHints = Effect.fnUntraced(function* (...owners: ReadonlyArray<Feed>) {
  const earlier = new Set((yield* Effect.forEach(owners, eventsOf)).flat().map(({ entryId }) => entryId))
  const heard = yield* Queue.unbounded<FeedHint>()
  yield* (yield* FeedHints).listen((hint) => {
    if (hint.kind !== "appended" || !earlier.has(hint.entryId)) Queue.offerUnsafe(heard, hint)
  })
  return heard
})

/** A new charge, paid at once: one event to deliver. */
export const openPaidCharge = (owner: Principal, overrides: Partial<TransitionCommit> = {}) =>
  Effect.flatMap(openCharge(owner), (charge) => move(charge, "paid", overrides))

/** Streams are trimmed by whole nodes of 100 entries: after this many more, an old entry is certainly gone. */
export const nodeFillers = 120

/** Lets every event of a feed pass its retention, then appends one more, the only one that is certainly kept. */
export const outliveEvents = (owner: Principal) =>
  Effect.gen(function* () {
    const { settings } = yield* Stage
    yield* Effect.forEach(Array.from({ length: nodeFillers }), () => openCharge(owner), { concurrency: 20 })
    yield* elapse(settings.eventRetentionMillis + 10)
    return yield* openCharge(owner)
  })
