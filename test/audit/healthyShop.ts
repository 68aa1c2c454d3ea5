import { Effect } from "effect"
import { PaymentLinkStore } from "../../actors/ports/paymentLinkStore.ts"
import { PixKeyStore, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { withdrawalHeld } from "../../actors/seller/decisions/movements.ts"
import { timerAt } from "../../actors/seller/decisions/sellerTime.ts"
import { newTransaction } from "../../actors/seller/decisions/transactionDocument.ts"
import {
  afterCommit,
  decideEnd,
  decidePaid,
  decideReleased,
  decideReturned,
  timerNames,
} from "../../actors/seller/decisions/transactionTransitions.ts"
import {
  afterTransition,
  decideTransition,
  withdrawalTimers,
} from "../../actors/seller/decisions/withdrawalTransitions.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { withdrawalEventType } from "../../schema/events.ts"
import type { PixKeyStatus } from "../../schema/resources/pixKey.ts"
import type { Withdrawal, WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { creationOf, freshIdBeside, hashOf, newScope, openShop, unique } from "../conformance/fixtures.ts"
import { nowMillis } from "../conformance/stage.ts"
import { bookedRefund, liveRefund } from "./liveRefunds.ts"

/** A step in the life of a charge. */
export type ChargeStep =
  | { readonly kind: "paid"; readonly reserveBps: number }
  | { readonly kind: "expired" | "failed" | "released" }
  | { readonly kind: "refund" | "chargeback"; readonly amount: number }

const amount = 10_000
const settings = { chargeFeeBps: 99, chargeFeeFixed: 10 }

const decideStep = (
  stored: Parameters<typeof decideReleased>[0],
  step: ChargeStep,
  time: Parameters<typeof decideReleased>[1],
) => {
  switch (step.kind) {
    case "paid":
      return decidePaid(stored, unique("E"), { reserveBps: step.reserveBps, reserveDays: 30 }, time)
    case "expired":
    case "failed":
      return decideEnd(stored, step.kind, {}, time)
    case "released":
      return decideReleased(stored, time)
    default:
      return decideReturned(stored, { id: unique("refund"), amount: step.amount, kind: step.kind }, time)
  }
}

/** The digest of the customer whose charges {@link liveCharge} makes. */
export const liveCustomer = "ANAS0VZA000000"

/** Makes a charge of 100.00 as the service does, and takes it through the steps. Returns its id. */
export const liveCharge = (
  owner: Principal,
  steps: ReadonlyArray<ChargeStep> = [],
  account?: string,
  paymentLinkId?: string,
  customer = liveCustomer,
) =>
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const time = { nowMillis: yield* nowMillis, offsetMillis: 0 }
    const id = yield* freshIdBeside("txn_", owner.sellerId)
    const document = newTransaction(
      {
        amount,
        payment_method: "pix",
        customer: { name: "Ana", email: "ana@example.com", document: "52998224725" },
        items: [{ name: "Livro", quantity: 1, unit_amount: amount }],
      },
      {
        ...{ id, mode: owner.mode, txid: unique("txid"), payload: "0002" },
        ...{ settings, nowMillis: time.nowMillis, seal: () => "aes:secret-document", paymentLinkId },
      },
    )
    let stored = {
      ...{ id, sellerId: owner.sellerId, mode: owner.mode, status: "pending" as const, version: 1 },
      document: JSON.stringify(document),
      customer,
      ...(account === undefined ? {} : { account }),
    } as Parameters<typeof decideReleased>[0]
    const expiry = timerAt(time, timerNames.expire, id, Date.parse(document.expires_at))
    yield* store.create(creationOf(owner, stored, { timers: [expiry], paymentLinkId }))
    for (const step of steps) {
      const commit = decideStep(stored, step, time)
      if (commit === undefined) return yield* Effect.die(new Error(`${stored.status} allows no ${step.kind}`))
      const { kind } = yield* store.transition(commit)
      if (kind !== "applied") return yield* Effect.die(new Error(`${step.kind} is ${kind}`))
      stored = afterCommit(stored, commit)
    }
    return id
  })

/** Makes a payment link that takes any number of payments. Returns its id. */
export const livePaymentLink = (owner: Principal) =>
  Effect.gen(function* () {
    const store = yield* PaymentLinkStore
    const id = yield* freshIdBeside("plk_", owner.sellerId)
    const link = {
      ...{ id, sellerId: owner.sellerId, mode: owner.mode, version: 1, active: true, paymentsMax: undefined },
      document: `{"id":"${id}","object":"payment_link","url":""}`,
      ...{ payments: 0, paidAmount: 0, pendingPayments: 0 },
    }
    yield* store.create(owner, newScope(), link, "{}", 9)
    return id
  })

/** Makes a PIX key as the service does, in a state. Returns its id. */
export const livePixKey = (owner: Principal, status: PixKeyStatus) =>
  Effect.gen(function* () {
    const store = yield* PixKeyStore
    const nowText = new Date(yield* nowMillis).toISOString()
    const pixKey: StoredPixKey = {
      ...{ id: yield* freshIdBeside("pk_", owner.sellerId), sellerId: owner.sellerId, mode: owner.mode },
      ...{ type: "email", value: "aes:value", valueHash: hashOf(unique("value")) },
      ...{ maskedValue: "a***@example.com", status: "pending_approval", version: 1 },
      ...{ createdAt: nowText, verifiedAt: undefined },
    }
    yield* store.create(pixKey)
    if (status !== "pending_approval") {
      const verifiedAt = status === "verified" ? nowText : undefined
      yield* store.transition({ pixKey, to: status, verifiedAt })
    }
    return pixKey.id
  })

/** The day that a test's withdrawals count towards, and one whose sums are no longer kept. */
export const day = "2026-11-21"
const pastDay = "2026-11-01"

/** Makes a withdrawal of 5.00 as the service does, and takes it through the states. Returns its id. */
export const liveWithdrawal = (
  owner: Principal,
  pixKeyId: string,
  states: ReadonlyArray<WithdrawalStatus> = [],
  countsIn = day,
) =>
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const time = { nowMillis: yield* nowMillis, offsetMillis: 0 }
    const nowText = new Date(time.nowMillis).toISOString()
    const id = yield* freshIdBeside("wd_", owner.sellerId)
    const idempotency = newScope({ route: "withdrawals" })
    const preconditions = yield* store.readPreconditions(owner, idempotency, pixKeyId, countsIn)
    if (preconditions.kind !== "open") return yield* Effect.die(new Error(preconditions.kind))
    const document: Withdrawal = {
      ...{
        id,
        object: "withdrawal",
        mode: owner.mode,
        status: "awaiting",
        amount: 500,
        fee: 100,
        total: 600,
      },
      ...{ currency: "BRL", description: null, pix_key_id: pixKeyId },
      pix_key: { type: "email", value: "a***@example.com" },
      ...{ end_to_end_id: null, failure_reason: null, created_at: nowText, updated_at: nowText },
      ...{ approved_at: null, processing_at: null, completed_at: null },
    }
    let stored: StoredWithdrawal = {
      ...{ id, sellerId: owner.sellerId, mode: owner.mode, status: "awaiting", version: 1 },
      ...{ document: JSON.stringify(document), pixValue: "aes:value", day: countsIn, idempotency },
    }
    const created = yield* store.create({
      ...{ principal: owner, idempotency, withdrawal: stored, amount: 500, total: 600 },
      decidedOn: {
        sellerVersion: preconditions.seller.version,
        pixKeyId,
        pixKeyVersion: preconditions.pixKey?.version ?? 0,
        day: preconditions.day,
      },
      eventType: withdrawalEventType("awaiting"),
      movement: withdrawalHeld(document),
      timers: [],
    })
    if (created.kind !== "created") return yield* Effect.die(new Error(created.kind))
    if (countsIn === pastDay)
      yield* (yield* RedisClient).call("DEL", [keys.withdrawalDayKey(owner, countsIn)])
    for (const to of states) {
      const timers = to === "approved" ? [timerAt(time, withdrawalTimers.pay, id, time.nowMillis)] : []
      const transition = decideTransition(stored, to, { timers }, time)
      if (transition === undefined) return yield* Effect.die(new Error(`${stored.status} allows no ${to}`))
      yield* store.transition(transition)
      stored = afterTransition(stored, transition)
    }
    return id
  })

/** The principals of a healthy shop, and the ids of what its owner has. */
export interface HealthyShop {
  readonly owner: Principal
  readonly other: Principal
  readonly charges: Readonly<
    Record<"pending" | "expired" | "failed" | "held" | "partly" | "refunded" | "returning", string>
  >
  readonly withdrawals: Readonly<Record<"done" | "today" | "rejected" | "open", string>>
  /** All of the charge `returning`. */
  readonly refunds: Readonly<Record<"failed" | "done" | "booked" | "processing" | "pending", string>>
  readonly pixKeys: Readonly<Record<"verified" | "pending" | "refused", string>>
}

/** A seller with charges, withdrawals, refunds and PIX keys in many states, and another seller of the same partition. */
export const openHealthyShop = Effect.gen(function* () {
  const { live, test: owner } = yield* openShop({ kycStatus: "approved" })
  const { test: other } = yield* openShop()
  yield* liveCharge(live, [{ kind: "paid", reserveBps: 0 }])
  yield* liveCharge(other, [{ kind: "paid", reserveBps: 0 }])
  const paid = { kind: "paid", reserveBps: 1_000 } as const
  const charges = {
    pending: yield* liveCharge(owner),
    expired: yield* liveCharge(owner, [{ kind: "expired" }]),
    failed: yield* liveCharge(owner, [{ kind: "failed" }]),
    held: yield* liveCharge(owner, [paid]),
    partly: yield* liveCharge(owner, [paid, { kind: "refund", amount: 300 }]),
    refunded: yield* liveCharge(owner, [
      ...[paid, { kind: "refund", amount: 3_000 } as const],
      { kind: "refund", amount: 7_000 },
    ]),
  }
  yield* liveCharge(owner, [paid, { kind: "released" }, { kind: "chargeback", amount }])
  yield* liveCharge(owner, [{ kind: "expired" }, { kind: "paid", reserveBps: 0 }])
  yield* liveCharge(owner, [paid, { kind: "chargeback", amount: 1 }, { kind: "released" }])
  yield* liveCharge(owner, [paid, { kind: "chargeback", amount: 1 }, { kind: "refund", amount: 9_999 }])
  const pixKeys = {
    verified: yield* livePixKey(owner, "verified"),
    pending: yield* livePixKey(owner, "pending_approval"),
    refused: yield* livePixKey(owner, "refused"),
  }
  const withdrawals = {
    done: yield* liveWithdrawal(owner, pixKeys.verified, ["approved", "processing", "successful"], pastDay),
    today: yield* liveWithdrawal(owner, pixKeys.verified, ["approved", "processing", "successful"]),
    rejected: yield* liveWithdrawal(owner, pixKeys.verified, ["rejected"]),
    open: yield* liveWithdrawal(owner, pixKeys.verified, ["approved"]),
  }
  const returning = yield* liveCharge(owner, [paid])
  const refunds = {
    failed: yield* liveRefund(owner, returning, 500, ["processing", "failed"]),
    done: yield* liveRefund(owner, returning, 300, ["processing", "succeeded"]),
    booked: yield* bookedRefund(owner, returning, 200),
    processing: yield* liveRefund(owner, returning, 1_000, ["processing"]),
    pending: yield* liveRefund(owner, returning, 100),
  }
  const shop: HealthyShop = {
    owner,
    other,
    charges: { ...charges, returning },
    withdrawals,
    refunds,
    pixKeys,
  }
  return shop
})

/** An id that nothing has, as old as another. */
export const unknownId = (prefix: string, beside: string): string =>
  `${prefix}${beside.slice(beside.indexOf("_") + 1, -4)}ZZZZ`
