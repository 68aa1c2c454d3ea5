import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger, type LedgerMovement, type SellerBalance } from "../../actors/ports/ledger.ts"
import { PixKeyStore, type StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import {
  type CreateWithdrawalCommit,
  type StoredWithdrawal,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../actors/ports/withdrawalStore.ts"
import {
  chargePaid,
  type WithdrawalAmounts,
  withdrawalHeld,
  withdrawalReturned,
  withdrawalSettled,
} from "../../actors/seller/decisions/movements.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { withdrawalEventType } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import { isWithdrawalOver, type WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import { freshIdBeside, hashOf, move, newScope, openCharge, openShop, type Shop, unique } from "./fixtures.ts"
import { Stage } from "./stage.ts"

const createdAt = "2026-11-21T00:07:35.123Z"

/** The day that these cases' withdrawals count in. */
export const day = "2026-11-21"

/** What each withdrawal takes, in centavos. */
export const [amount, fee, total] = [1_000, 100, 1_100]
const amountsOf = (id: string): WithdrawalAmounts => ({ id, amount, fee, total })

/** A written PIX key, by default verified. */
export const openPixKey = ({ sellerId, mode }: Principal, overrides: Partial<StoredPixKey> = {}) =>
  Effect.gen(function* () {
    const id = yield* freshIdBeside("pk_", sellerId)
    const pixKey: StoredPixKey = {
      ...{ id, sellerId, mode, type: "email", status: "verified", version: 1 },
      ...{ value: `sealed ${id}`, valueHash: hashOf(id), maskedValue: "a***@example.com" },
      ...{ createdAt, verifiedAt: createdAt },
      ...overrides,
    }
    assert.deepStrictEqual(yield* (yield* PixKeyStore).create(pixKey), { kind: "created" })
    return pixKey
  })

/** Credits the owner, in centavos, by a paid charge; returns the charge. */
export const credit = (owner: Principal, gained: number) =>
  Effect.gen(function* () {
    const charge = yield* openCharge(owner)
    const money = { id: charge.id, amount: gained, fee: 0, net_amount: gained }
    return yield* move(charge, "paid", { movement: chargePaid(money, null) })
  })

/** A seller that may withdraw in live. */
export interface Till {
  readonly shop: Shop
  readonly live: Principal
  readonly pixKey: StoredPixKey
}

/** A seller with a verified PIX key and `available` centavos in live. */
export const openTill = (available = 5_000) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const pixKey = yield* openPixKey(shop.live)
    yield* credit(shop.live, available)
    const till: Till = { shop, live: shop.live, pixKey }
    return till
  })

/** The preconditions of a new request. */
export const preconditionsOf = (owner: Principal, pixKeyId: string, ofDay = day) =>
  Effect.gen(function* () {
    const found = yield* (yield* WithdrawalStore).readPreconditions(owner, withdrawalScope(), pixKeyId, ofDay)
    return found.kind === "open" ? found : yield* Effect.die(new Error(found.kind))
  })

/** A fresh Idempotency-Key of the route. */
export const withdrawalScope = (overrides: Parameters<typeof newScope>[0] = {}) =>
  newScope({ route: "POST /v1/withdrawals", ...overrides })

/** A withdrawal's document; the store keeps it as it is. */
const documentOf = (id: string, status: string): string =>
  JSON.stringify({ id, status, amount, note: `"quoted"\n${unique("text")} ã` })

/** What a request commits, decided on the current preconditions. */
export const requestOf = (
  { live, pixKey }: Pick<Till, "live" | "pixKey">,
  { idempotency = withdrawalScope(), ...overrides }: Partial<CreateWithdrawalCommit> = {},
  written: Partial<StoredWithdrawal> = {},
) =>
  Effect.gen(function* () {
    const id = written.id ?? (yield* freshIdBeside("wd_", live.sellerId))
    const { seller, ...preconditions } = yield* preconditionsOf(live, pixKey.id, written.day)
    const withdrawal: StoredWithdrawal = {
      ...{ id, sellerId: live.sellerId, mode: live.mode, status: "awaiting", version: 1, day },
      ...{ document: documentOf(id, "awaiting"), pixValue: pixKey.value },
      idempotency: { route: idempotency.route, key: idempotency.key },
      ...written,
    }
    const commit: CreateWithdrawalCommit = {
      ...{ principal: live, idempotency, withdrawal, amount, total, timers: [] },
      decidedOn: {
        ...{ sellerVersion: seller.version, pixKeyId: pixKey.id, day: preconditions.day },
        pixKeyVersion: preconditions.pixKey?.version ?? 0,
      },
      eventType: withdrawalEventType(withdrawal.status),
      movement: withdrawalHeld(amountsOf(id)),
      ...overrides,
    }
    return commit
  })

export const request = (commit: CreateWithdrawalCommit) =>
  Effect.flatMap(WithdrawalStore, (store) => store.create(commit))

/** A written withdrawal that awaits approval. */
export const openWithdrawal = (
  till: Pick<Till, "live" | "pixKey">,
  overrides: Partial<CreateWithdrawalCommit> = {},
  written: Partial<StoredWithdrawal> = {},
) =>
  Effect.gen(function* () {
    const commit = yield* requestOf(till, overrides, written)
    assert.deepStrictEqual(yield* request(commit), { kind: "created" })
    return commit.withdrawal
  })

const movementOf = (id: string, to: WithdrawalStatus): LedgerMovement | undefined => {
  if (!isWithdrawalOver(to)) return undefined
  return to === "successful" ? withdrawalSettled(amountsOf(id)) : withdrawalReturned(amountsOf(id))
}

/** What a transition of a withdrawal as read commits. */
export const withdrawalTransitionOf = (
  withdrawal: StoredWithdrawal,
  to: WithdrawalStatus,
  overrides: Partial<WithdrawalTransition> = {},
): WithdrawalTransition => {
  const movement = movementOf(withdrawal.id, to)
  return {
    ...{ withdrawal, to, movement, document: documentOf(withdrawal.id, to) },
    eventType: withdrawalEventType(to),
    dayValueBack: movement?.kind === "withdrawal_returned" ? amount : 0,
    ...{ timers: [], timersDone: [] },
    ...overrides,
  }
}

export const transition = (commit: WithdrawalTransition) =>
  Effect.flatMap(WithdrawalStore, (store) => store.transition(commit))

/** Applies a transition; returns the withdrawal as it must be afterwards. */
export const pass = (
  withdrawal: StoredWithdrawal,
  to: WithdrawalStatus,
  overrides: Partial<WithdrawalTransition> = {},
) =>
  Effect.gen(function* () {
    const commit = withdrawalTransitionOf(withdrawal, to, overrides)
    assert.deepStrictEqual(yield* transition(commit), { kind: "applied" })
    const { document } = commit
    const passed: StoredWithdrawal = { ...withdrawal, status: to, version: withdrawal.version + 1, document }
    return passed
  })

/** The balance, which the owner must be allowed to see. */
export const balanceOf = (owner: Principal) =>
  Effect.gen(function* () {
    const found = yield* (yield* Ledger).balance(owner)
    return "kind" in found ? yield* Effect.die(new Error(found.kind)) : found
  })

/** A balance; buckets that are not given are 0. */
export const balance = (buckets: Partial<SellerBalance> = {}): SellerBalance => ({
  available: 0,
  reserve: 0,
  pendingWithdraw: 0,
  pendingRefund: 0,
  ...buckets,
})

/** A whole ledger, oldest first. */
export const entriesOf = ({ sellerId, mode }: Feed) =>
  Effect.flatMap(Ledger, (ledger) => ledger.readAfter({ sellerId, mode }, "0", 10_000))

/** Runs a step and asserts that it changed nothing in the store. */
export const writingNothing = <A, E, R>(step: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { contents } = yield* Stage
    const before = yield* contents
    const answer = yield* step
    assert.deepStrictEqual(yield* contents, before)
    return answer
  })
