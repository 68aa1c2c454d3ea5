import type { StoredWithdrawal, WithdrawalTransition } from "../../../actors/ports/withdrawalStore.ts"
import { makeId } from "../../../schema/ids.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { nowMillis, nowText, sellerId } from "./charges.ts"

export const withdrawalId = makeId("wd_", nowMillis, 0, new Uint8Array(14).fill(2))
export const pixKeyId = makeId("pk_", nowMillis, 0, new Uint8Array(14).fill(3))

/** A stored withdrawal of 1,000 centavos in that status, with the test's changes, as input for decisions. */
export const storedWithdrawal = (
  status: WithdrawalStatus,
  changes: Partial<Withdrawal> = {},
): StoredWithdrawal => {
  const withdrawal: Withdrawal = {
    id: withdrawalId,
    object: "withdrawal",
    mode: "test",
    status,
    amount: 1_000,
    fee: 100,
    total: 1_100,
    currency: "BRL",
    description: null,
    pix_key_id: pixKeyId,
    pix_key: { type: "cpf", value: "***.982.247-**" },
    end_to_end_id: null,
    failure_reason: null,
    created_at: nowText,
    updated_at: nowText,
    approved_at: null,
    processing_at: null,
    completed_at: null,
    ...changes,
  }
  return {
    id: withdrawalId,
    sellerId,
    mode: "test",
    status,
    version: 1,
    document: JSON.stringify(withdrawal),
    pixValue: "enc:v2:0:sealed",
    day: "2026-11-20",
    idempotency: { route: "withdrawals", key: "key-1" },
  }
}

/** The withdrawal that a transition makes. */
export const withdrawalOf = (transition: WithdrawalTransition | undefined): Withdrawal =>
  JSON.parse(transition?.document ?? "{}")
