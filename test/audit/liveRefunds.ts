import { Effect } from "effect"
import { type RefundedCharge, RefundStore, type StoredRefund } from "../../actors/ports/refundStore.ts"
import { type StoredTransaction, TransactionStore } from "../../actors/ports/transactionStore.ts"
import {
  chargeReturned,
  refundHeld,
  refundReturned,
  refundSettled,
} from "../../actors/seller/decisions/movements.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { type EventType, partiallyRefundedEventType, refundEventType } from "../../schema/events.ts"
import {
  isRefundOver,
  type Refund,
  type RefundOrigin,
  type RefundStatus,
} from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { freshIdBeside, newScope } from "../conformance/fixtures.ts"
import { nowMillis } from "../conformance/stage.ts"

const expectKind = <E, R>(kind: string, step: Effect.Effect<{ readonly kind: string }, E, R>) =>
  Effect.flatMap(step, (answer) =>
    answer.kind === kind ? Effect.void : Effect.die(new Error(`'${answer.kind}' instead of '${kind}'`)),
  )

const loadCharge = (id: string) =>
  Effect.gen(function* () {
    const transaction = yield* (yield* TransactionStore).load(id)
    if (transaction === undefined) return yield* Effect.die(new Error(`no charge ${id}`))
    return { transaction, charge: JSON.parse(transaction.document) as Transaction }
  })

const newDocument = (
  id: string,
  charge: Transaction,
  amount: number,
  origin: RefundOrigin,
  nowText: string,
): Refund => ({
  ...{ id, object: "refund", transaction_id: charge.id, mode: charge.mode, amount, currency: "BRL" },
  ...{ status: "pending", reason: null, origin, failure_code: null, failure_reason: null, return_id: null },
  ...{ created_at: nowText, updated_at: nowText, completed_at: null },
})

/** The charge with another reserve, which loses what a refund takes and gains what one gives back. */
const withReserve = (charge: Transaction, gained: number): Transaction => ({
  ...charge,
  reserve: charge.reserve === null ? null : { ...charge.reserve, amount: charge.reserve.amount + gained },
})

const listing = (charge: Transaction, refund: Refund, nowText: string): Transaction => ({
  ...charge,
  refunded_amount: charge.refunded_amount + refund.amount,
  refunds: [
    ...charge.refunds,
    {
      ...{ id: refund.id, kind: "refund" as const, amount: refund.amount },
      ...{ return_id: refund.return_id, created_at: nowText },
    },
  ],
})

const changeOf = (
  transaction: StoredTransaction,
  after: Transaction,
  refundingChange: number,
  eventType?: EventType,
): RefundedCharge => ({
  ...{ transaction, refundingChange, to: after.status, document: JSON.stringify(after), eventType },
  ...{ postback: undefined, timers: [], timersDone: [] },
})

const timerOf = (id: string, status: RefundStatus, dueMillis: number) =>
  isRefundOver(status)
    ? []
    : [{ name: status === "pending" ? refundTimers.send : refundTimers.poll, resourceId: id, dueMillis }]

/** Ends a refund or hands it over, as the service does. */
const passTo = Effect.fnUntraced(function* (refund: StoredRefund, to: RefundStatus) {
  const store = yield* RefundStore
  const { transaction, charge } = yield* loadCharge(refund.transactionId)
  const millis = yield* nowMillis
  const nowText = new Date(millis).toISOString()
  const before = JSON.parse(refund.document) as Refund
  const completed_at = isRefundOver(to) ? nowText : null
  const return_id = to === "succeeded" ? "D00000000202611211200ABCDEFGHIJK" : null
  const after: Refund = { ...before, status: to, return_id, updated_at: nowText, completed_at }
  const { amount } = before
  const back = refund.heldFromReserve
  const settled = refundSettled(before)
  const returned = refundReturned(before, back, charge)
  const ended =
    to === "succeeded"
      ? {
          ...changeOf(transaction, listing(charge, after, nowText), -amount, partiallyRefundedEventType),
          customer: { paid: 0, refunded: amount },
        }
      : changeOf(transaction, withReserve(charge, back), -amount)
  const document = JSON.stringify(after)
  const transition = {
    ...{ refund, to, document, eventType: refundEventType(to) },
    movement: isRefundOver(to) ? (to === "succeeded" ? settled : returned) : undefined,
    charge: isRefundOver(to) ? ended : undefined,
    ...{ timers: timerOf(refund.id, to, millis), timersDone: Object.values(refundTimers) },
  }
  yield* expectKind("applied", store.transition(transition))
  return { ...refund, status: to, version: refund.version + 1, document }
})

/** Refunds a part of a paid charge as the service does, and takes the refund through the states. Returns its id. */
export const liveRefund = Effect.fnUntraced(function* (
  owner: Principal,
  chargeId: string,
  amount: number,
  states: ReadonlyArray<RefundStatus> = [],
) {
  const store = yield* RefundStore
  const idempotency = newScope({ route: "refunds" })
  const found = yield* store.readPreconditions(owner, idempotency, chargeId)
  if (found.kind !== "open") return yield* Effect.die(new Error(found.kind))
  const { transaction, charge } = yield* loadCharge(chargeId)
  const id = yield* freshIdBeside("rfd_", owner.sellerId)
  const millis = yield* nowMillis
  const document = newDocument(id, charge, amount, "seller", new Date(millis).toISOString())
  const heldFromReserve = Math.min(charge.reserve?.amount ?? 0, amount)
  const refund: StoredRefund = {
    ...{ id, sellerId: owner.sellerId, mode: owner.mode, transactionId: chargeId, status: "pending" },
    ...{ version: 1, document: JSON.stringify(document), heldFromReserve, idempotency },
  }
  const commit = {
    ...{ principal: owner, idempotency, refund, heldFromAvailable: amount - heldFromReserve },
    decidedOn: { sellerVersion: found.seller.version },
    charge: changeOf(transaction, withReserve(charge, -heldFromReserve), amount),
    eventType: "refund.created" as const,
    movement: refundHeld(document, heldFromReserve, charge),
    timers: timerOf(id, "pending", millis),
  }
  yield* expectKind("created", store.create(commit))
  let stored = refund
  for (const to of states) stored = yield* passTo(stored, to)
  return id
})

/** Books a part of a paid charge that went back at the acquirer, as the service does. Returns the refund's id. */
export const bookedRefund = Effect.fnUntraced(function* (owner: Principal, chargeId: string, amount: number) {
  const { transaction, charge } = yield* loadCharge(chargeId)
  const id = yield* freshIdBeside("rfd_", owner.sellerId)
  const nowText = new Date(yield* nowMillis).toISOString()
  const done = { status: "succeeded" as const, completed_at: nowText }
  const refund: Refund = { ...newDocument(id, charge, amount, "partner", nowText), ...done }
  const fromReserve = Math.min(charge.reserve?.amount ?? 0, amount)
  const after = listing(withReserve(charge, -fromReserve), refund, nowText)
  const commit = {
    ...{ sellerId: owner.sellerId, mode: owner.mode, transactionId: chargeId },
    ...{ expectedVersion: transaction.version, from: transaction.status, to: after.status },
    document: JSON.stringify(after),
    eventType: partiallyRefundedEventType,
    movement: chargeReturned(charge, { kind: "refund", amount, isWhole: false }),
    refund: { id, document: JSON.stringify(refund), eventType: "refund.succeeded" as const },
    customer: { paid: 0, refunded: amount },
    ...{ postback: undefined, timers: [], timersDone: [] },
  }
  yield* expectKind("applied", (yield* TransactionStore).transition(commit))
  return id
})
