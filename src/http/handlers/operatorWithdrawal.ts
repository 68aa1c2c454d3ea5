import { Clock, Effect } from "effect"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import type { StoredWithdrawal } from "../../../actors/ports/withdrawalStore.ts"
import { lockedUntil } from "../../../actors/seller/decisions/withdrawalDecisions.ts"
import { readWithdrawal } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import type { OperatorWithdrawal } from "../../../schema/api/operatorWithdrawals.ts"
import type { JsonReply } from "../server/reply.ts"

/** The seller of a withdrawal, as operators see it there. */
export interface Payee {
  readonly seller: StoredSeller | undefined
  /** Centavos, in the withdrawal's mode. */
  readonly available: number
}

/** A withdrawal as operators see it, as JSON text. `nowMillis` is the true time. */
export const renderForOperator = (
  stored: StoredWithdrawal,
  { seller, available }: Payee,
  nowMillis: number,
): string => {
  const untilMillis = seller === undefined ? undefined : lockedUntil(seller, nowMillis)
  const shown: OperatorWithdrawal = {
    ...readWithdrawal(stored),
    seller_id: stored.sellerId,
    seller_name: seller?.name ?? null,
    seller_status: seller?.status ?? null,
    payout_locked_until: untilMillis === undefined ? null : new Date(untilMillis).toISOString(),
    available,
  }
  return JSON.stringify(shown)
}

/** Makes the programs that read a withdrawal's seller, and that answer a withdrawal after an operator's act. */
export const makeShowToOperators = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const ledger = yield* Ledger

  const payeeOf = ({ sellerId, mode }: Pick<StoredWithdrawal, "sellerId" | "mode">) =>
    Effect.all(
      { seller: sellers.get(sellerId), available: ledger.available({ sellerId, mode }) },
      { concurrency: "unbounded" },
    )
  const answer = Effect.fnUntraced(function* (stored: StoredWithdrawal) {
    const payee = yield* payeeOf(stored)
    const body = renderForOperator(stored, payee, yield* Clock.currentTimeMillis)
    return { status: 200, body } satisfies JsonReply
  })
  return { payeeOf, answer }
})
