import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerMovement, Posting } from "../../actors/ports/ledger.ts"
import {
  type CreateRefundCommit,
  type RefundedCharge,
  RefundStore,
  type RefundTransition,
  type StoredRefund,
} from "../../actors/ports/refundStore.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import { chargePaid } from "../../actors/seller/decisions/movements.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { refundEventType } from "../../schema/events.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import { isRefundOver, type RefundStatus } from "../../schema/resources/refund.ts"
import {
  chargeDocument,
  freshIdBeside,
  move,
  newScope,
  openCharge,
  openShop,
  type Shop,
  unique,
} from "./fixtures.ts"

/** What each refund of these cases takes, in centavos, and how much of it comes from the charge's reserve. */
export const [amount, fromReserve, fromAvailable] = [300, 100, 200]

/** What each charge of these cases brings, in centavos, and how much of it is reserved. */
export const [gained, reserved] = [1_000, 400]

/** Credits the owner by a paid charge of which a part is reserved; returns the charge. */
export const openRefundable = (owner: Principal) =>
  Effect.gen(function* () {
    const charge = yield* openCharge(owner)
    const money = { id: charge.id, amount: gained, fee: 0, net_amount: gained }
    const reserve = { amount: reserved, release_at: "2026-12-21T00:07:35.123Z", released_at: null }
    return yield* move(charge, "paid", { movement: chargePaid(money, reserve) })
  })

/** A seller that may refund a charge in live. */
export interface Counter {
  readonly shop: Shop
  readonly live: Principal
  readonly charge: StoredTransaction
}

export const openCounter = () =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const counter: Counter = { shop, live: shop.live, charge: yield* openRefundable(shop.live) }
    return counter
  })

/** A fresh Idempotency-Key of the route. */
export const refundScope = (overrides: Parameters<typeof newScope>[0] = {}) =>
  newScope({ route: "POST /v1/transactions/{id}/refunds", ...overrides })

/** A document; the store keeps it as it is. */
export const documentOf = (id: string, status: string): string =>
  JSON.stringify({ id, status, note: `"quoted"\n${unique("text")} ã` })

const ofRefund = (
  kind: LedgerKind,
  resourceId: string,
  postings: ReadonlyArray<Posting>,
): LedgerMovement => ({
  ...{ kind, resourceType: "refund", resourceId, postings },
})

/** The movements of these cases' refunds. */
export const refundHeld = (id: string): LedgerMovement =>
  ofRefund("refund_held", id, [
    { bucket: "reserve", amount: -fromReserve },
    { bucket: "available", amount: -fromAvailable },
    { bucket: "pending_refund", amount },
  ])
export const refundSettled = (id: string): LedgerMovement =>
  ofRefund("refund_settled", id, [
    { bucket: "pending_refund", amount: -amount },
    { bucket: "external", amount },
  ])
export const refundReturned = (id: string): LedgerMovement =>
  ofRefund("refund_returned", id, [
    { bucket: "pending_refund", amount: -amount },
    { bucket: "reserve", amount: fromReserve },
    { bucket: "available", amount: fromAvailable },
  ])

/** The preconditions of a new request. */
export const preconditionsOf = (owner: Principal, transactionId: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* RefundStore).readPreconditions(owner, refundScope(), transactionId)
    return found.kind === "open" ? found : yield* Effect.die(new Error(found.kind))
  })

/** What a commit of a refund changes of its charge: by default its document and version alone. */
export const chargeOf = (
  transaction: StoredTransaction,
  refundingChange: number,
  overrides: Partial<RefundedCharge> = {},
): RefundedCharge => ({
  ...{
    transaction,
    refundingChange,
    to: transaction.status,
    document: chargeDocument(transaction.id, "changed"),
  },
  ...{ eventType: undefined, postback: undefined, timers: [], timersDone: [] },
  ...overrides,
})

/** The charge after a commit of a refund. */
export const changed = ({ transaction, to, document }: RefundedCharge): StoredTransaction => ({
  ...transaction,
  status: to,
  version: transaction.version + 1,
  document,
})

/** What a request commits, decided on the current preconditions. */
export const requestOf = (
  { live, charge }: Pick<Counter, "live" | "charge">,
  { idempotency = refundScope(), ...overrides }: Partial<CreateRefundCommit> = {},
  written: Partial<StoredRefund> = {},
) =>
  Effect.gen(function* () {
    const id = written.id ?? (yield* freshIdBeside("rfd_", live.sellerId))
    const { seller, transaction } = yield* preconditionsOf(live, charge.id)
    const refund: StoredRefund = {
      ...{ id, sellerId: live.sellerId, mode: live.mode, transactionId: charge.id, status: "pending" },
      ...{ version: 1, document: documentOf(id, "pending"), heldFromReserve: fromReserve },
      idempotency: { route: idempotency.route, key: idempotency.key },
      ...written,
    }
    const commit: CreateRefundCommit = {
      ...{ principal: live, idempotency, refund, heldFromAvailable: fromAvailable, timers: [] },
      decidedOn: { sellerVersion: seller.version },
      charge: chargeOf(transaction, amount),
      eventType: "refund.created",
      movement: refundHeld(id),
      ...overrides,
    }
    return commit
  })

export const request = (commit: CreateRefundCommit) =>
  Effect.flatMap(RefundStore, (store) => store.create(commit))

/** A written refund, and its charge as it is then. */
export interface Refunding {
  readonly refund: StoredRefund
  readonly charge: StoredTransaction
}

/** A written refund that is pending. */
export const openRefund = (
  counter: Pick<Counter, "live" | "charge">,
  overrides: Partial<CreateRefundCommit> = {},
  written: Partial<StoredRefund> = {},
) =>
  Effect.gen(function* () {
    const commit = yield* requestOf(counter, overrides, written)
    assert.deepStrictEqual(yield* request(commit), { kind: "created" })
    const refunding: Refunding = { refund: commit.refund, charge: changed(commit.charge) }
    return refunding
  })

const movementOf = (id: string, to: RefundStatus): LedgerMovement | undefined => {
  if (!isRefundOver(to)) return undefined
  return to === "succeeded" ? refundSettled(id) : refundReturned(id)
}

/** What a transition of a refund and its charge as read commits. */
export const refundTransitionOf = (
  { refund, charge }: Refunding,
  to: RefundStatus,
  overrides: Partial<RefundTransition> = {},
): RefundTransition => ({
  ...{ refund, to, document: documentOf(refund.id, to), eventType: refundEventType(to) },
  movement: movementOf(refund.id, to),
  charge: isRefundOver(to) ? chargeOf(charge, -amount) : undefined,
  ...{ timers: [], timersDone: [] },
  ...overrides,
})

export const transition = (commit: RefundTransition) =>
  Effect.flatMap(RefundStore, (store) => store.transition(commit))

/** Applies a transition; returns the refund and its charge as they must be afterwards. */
export const pass = (refunding: Refunding, to: RefundStatus, overrides: Partial<RefundTransition> = {}) =>
  Effect.gen(function* () {
    const commit = refundTransitionOf(refunding, to, overrides)
    assert.deepStrictEqual(yield* transition(commit), { kind: "applied" })
    const { refund, document, charge } = commit
    const passed: Refunding = {
      refund: { ...refund, status: to, version: refund.version + 1, document },
      charge: charge === undefined ? refunding.charge : changed(charge),
    }
    return passed
  })
