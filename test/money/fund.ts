import { Effect } from "effect"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { createRefund } from "../../actors/seller/operations/createRefund.ts"
import { createTransaction } from "../../actors/seller/operations/createTransaction.ts"
import { createWithdrawal } from "../../actors/seller/operations/createWithdrawal.ts"
import { simulateOutcome } from "../../actors/seller/operations/simulateOutcome.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import type { Principal } from "../../actors/values/principal.ts"

let made = 0
/** A name that no other call returns. */
export const fresh = (what: string): string => `${what}-${made++}`

const scope = (route: string, key: string) => ({
  ...{ route, key, fingerprint: key, executionId: fresh("execution") },
})

const body = {
  payment_method: "pix" as const,
  customer: { name: "Ana", email: "ana@example.com", document: "52998224725" },
  items: [{ name: "Bread", quantity: 1, unit_amount: 1 }],
}

/** Makes a charge through the seller's actor; returns its id. */
export const createCharge = Effect.fnUntraced(function* (principal: Principal, amount: number) {
  const actors = yield* SellerActors
  const answer = yield* actors.ask(createTransaction, {
    ...{ principal, body: { ...body, amount }, requestId: "r" },
    idempotency: scope("transactions", fresh("charge")),
  })
  if (answer.kind !== "answered") throw new Error(`a charge was answered ${answer.kind}`)
  return (JSON.parse(answer.body) as { readonly id: string }).id
})

/** Gives the seller money to withdraw, by a charge that is paid; returns the charge. */
export const fund = Effect.fnUntraced(function* (principal: Principal, amount: number) {
  const actors = yield* SellerActors
  const store = yield* TransactionStore
  const id = yield* createCharge(principal, amount)
  yield* actors.ask(simulateOutcome, { transactionId: id, to: "paid" })
  return yield* store.load(id)
})

/** Asks the seller's actor for a refund, by default of all that is left, under an Idempotency-Key; returns its answer. */
export const refund = Effect.fnUntraced(function* (
  principal: Principal,
  transactionId: string,
  amount: number | undefined,
  key: string,
) {
  const actors = yield* SellerActors
  return yield* actors.ask(createRefund, {
    ...{ principal, transactionId, requestId: "r", origin: "seller" },
    body: amount === undefined ? {} : { amount },
    idempotency: scope("refunds", key),
  })
})

/** Asks the seller's actor for a withdrawal, under an Idempotency-Key; returns its answer. */
export const withdraw = Effect.fnUntraced(function* (
  principal: Principal,
  pixKeyId: string,
  amount: number,
  key: string,
) {
  const actors = yield* SellerActors
  return yield* actors.ask(createWithdrawal, {
    ...{ principal, body: { amount, pix_key_id: pixKeyId }, requestId: "r" },
    idempotency: scope("withdrawals", key),
  })
})

/** Makes a withdrawal and returns its id; throws where it is refused. */
export const madeWithdrawal = Effect.fnUntraced(function* (
  principal: Principal,
  pixKeyId: string,
  amount: number,
) {
  const answer = yield* withdraw(principal, pixKeyId, amount, fresh("withdrawal"))
  if (answer.kind !== "answered" || answer.status !== 201) throw new Error(JSON.stringify(answer))
  return (JSON.parse(answer.body) as { readonly id: string }).id
})
