import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerMovement } from "../../actors/ports/ledger.ts"
import { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { Timer } from "../../actors/values/timer.ts"
import { freshIdBeside, hashOf, newScope, openPaidCharge } from "./fixtures.ts"

const createdAt = "2026-11-21T00:07:35.123Z"
const day = "2026-11-21"
const [amount, total] = [1_000, 1_100]

/** Writes a verified PIX key; returns its id. */
const openPixKey = ({ sellerId, mode }: Principal) =>
  Effect.gen(function* () {
    const id = yield* freshIdBeside("pk_", sellerId)
    const value = { value: "sealed", valueHash: hashOf(id), maskedValue: "***@example.com" }
    const pixKey = { id, sellerId, mode, type: "email", ...value, status: "verified", version: 1 } as const
    const { kind } = yield* (yield* PixKeyStore).create({ ...pixKey, createdAt, verifiedAt: createdAt })
    assert.strictEqual(kind, "created")
    return id
  })

/** Credits the owner with what a withdrawal takes. */
const fund = (owner: Principal, resourceId: string) => {
  const movement: LedgerMovement = {
    ...{ kind: "charge_paid", resourceType: "transaction", resourceId },
    postings: [
      { bucket: "external", amount: -total },
      { bucket: "available", amount: total },
    ],
  }
  return openPaidCharge(owner, { movement })
}

/** Writes a withdrawal that awaits approval; returns its id. */
export const openWithdrawal = (owner: Principal, timers: ReadonlyArray<Omit<Timer, "resourceId">>) =>
  Effect.gen(function* () {
    const store = yield* WithdrawalStore
    const { sellerId, mode } = owner
    const pixKeyId = yield* openPixKey(owner)
    yield* fund(owner, pixKeyId)
    const id = yield* freshIdBeside("wd_", sellerId)
    const idempotency = newScope({ route: "withdrawals" })
    const preconditions = yield* store.readPreconditions(owner, idempotency, pixKeyId, day)
    if (preconditions.kind !== "open") return yield* Effect.die(new Error(preconditions.kind))
    const { seller, pixKey } = preconditions
    const written = { status: "awaiting", version: 1, document: "{}", pixValue: "sealed", day } as const
    const answer = yield* store.create({
      ...{ principal: owner, idempotency, amount, total, eventType: "withdrawal.awaiting" },
      withdrawal: { id, sellerId, mode, ...written, idempotency },
      decidedOn: {
        ...{ sellerVersion: seller.version, pixKeyId, day: preconditions.day },
        pixKeyVersion: pixKey?.version ?? 0,
      },
      movement: {
        ...{ kind: "withdrawal_held", resourceType: "withdrawal", resourceId: id },
        postings: [
          { bucket: "available", amount: -total },
          { bucket: "pending_withdraw", amount: total },
        ],
      },
      timers: timers.map((timer) => ({ ...timer, resourceId: id })),
    })
    assert.strictEqual(answer.kind, "created")
    return id
  })
