import { Effect } from "effect"
import type { Principal } from "../../actors/ports/principal.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { createTransaction } from "../../actors/seller/operations/createTransaction.ts"
import { createWithdrawal } from "../../actors/seller/operations/createWithdrawal.ts"
import { simulateOutcome } from "../../actors/seller/operations/simulateOutcome.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"

let made = 0
/** Names that no other call has given. */
export const fresh = (what: string): string => `${what}-${made++}`

const scope = (route: string, key: string) => ({
  ...{ route, key, fingerprint: key, executionId: fresh("execution") },
})

const body = {
  payment_method: "pix" as const,
  customer: { name: "Ana", email: "ana@example.com", document: "52998224725" },
  items: [{ name: "Bread", quantity: 1, unit_amount: 1 }],
}

/** A new charge of the seller, by its actor; answers its id. */
export const createCharge = Effect.fnUntraced(function* (principal: Principal, amount: number) {
  const actors = yield* SellerActors
  const answer = yield* actors.ask(createTransaction, {
    ...{ principal, body: { ...body, amount }, requestId: "r" },
    idempotency: scope("transactions", fresh("charge")),
  })
  if (answer.kind !== "answered") throw new Error(`a charge was answered ${answer.kind}`)
  return (JSON.parse(answer.body) as { readonly id: string }).id
})

/** Money to withdraw: a charge that is paid. */
export const fund = Effect.fnUntraced(function* (principal: Principal, amount: number) {
  const actors = yield* SellerActors
  const store = yield* TransactionStore
  const id = yield* createCharge(principal, amount)
  yield* actors.ask(simulateOutcome, { transactionId: id, to: "paid" })
  return yield* store.load(id)
})

/** A request for a withdrawal, by the seller's actor. */
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

/** The id of a withdrawal that was made for certain. */
export const madeWithdrawal = Effect.fnUntraced(function* (
  principal: Principal,
  pixKeyId: string,
  amount: number,
) {
  const answer = yield* withdraw(principal, pixKeyId, amount, fresh("withdrawal"))
  if (answer.kind !== "answered" || answer.status !== 201) throw new Error(JSON.stringify(answer))
  return (JSON.parse(answer.body) as { readonly id: string }).id
})
