import { Effect } from "effect"
import type { PaymentReport } from "../../actors/ports/acquirer.ts"
import type { SellerSettings } from "../../actors/ports/sellerStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { SellerTime } from "../../actors/seller/decisions/sellerTime.ts"
import { createTransaction } from "../../actors/seller/operations/createTransaction.ts"
import { createWithdrawal } from "../../actors/seller/operations/createWithdrawal.ts"
import { decideWithdrawal } from "../../actors/seller/operations/decideWithdrawal.ts"
import { simulateOutcome } from "../../actors/seller/operations/simulateOutcome.ts"
import { makeReconcileCharge } from "../../actors/seller/programs/chargeReconciliation.ts"
import { makeFireTimer } from "../../actors/seller/programs/chargeTimer.ts"
import { makeFireWithdrawalTimer } from "../../actors/seller/programs/withdrawalTimer.ts"
import type { SellerView } from "../../actors/seller/sellerMemory.ts"
import { payoutIdOf, txidOf } from "../../schema/ids.ts"
import type { AcquirerBooks } from "./acquirerBooks.ts"
import { makeSeller } from "./process.ts"
import { makeRefundDriver } from "./refundDriver.ts"

const dayMillis = 24 * 60 * 60 * 1000
const body = {
  payment_method: "pix" as const,
  customer: { name: "Ana", email: "ana@example.com", document: "52998224725" },
  items: [{ name: "Bread", quantity: 1, unit_amount: 1 }],
}

/** Drives one seller on the store. Its ids of charges and withdrawals are in the model's order. */
export const makeSellerDriver = Effect.fnUntraced(function* (settings: SellerSettings, books: AcquirerBooks) {
  const programs = {
    createTransaction: yield* createTransaction.program,
    createWithdrawal: yield* createWithdrawal.program,
    decideWithdrawal: yield* decideWithdrawal.program,
    simulateOutcome: yield* simulateOutcome.program,
    reconcileCharge: yield* makeReconcileCharge,
    fireTimer: yield* makeFireTimer,
    fireWithdrawalTimer: yield* makeFireWithdrawalTimer,
  }
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const { principal, pixKeyId } = yield* makeSeller(settings)
  const refunds = yield* makeRefundDriver(books)
  const chargeIds: Array<string> = []
  const withdrawalIds: Array<string> = []
  let keys = 0
  let days = 0
  const startMillis = Date.now()

  const time = (): SellerTime => ({ nowMillis: startMillis + days * dayMillis, offsetMillis: 0 })
  /** What the seller's actor would know of it. */
  const view: SellerView = {
    settings,
    approvedName: undefined,
    timeOf: () => Effect.sync(time),
    freshTimeOf: () => Effect.sync(time),
    timeSince: () => Effect.sync(time),
    setOffset: () => {},
  }
  const idempotency = (route: string, key: string) => ({
    ...{ route, key, fingerprint: "same", executionId: `execution-${Math.random()}` },
  })
  const chargeOf = (index: number) =>
    Effect.flatMap(transactions.load(chargeIds[index] ?? ""), Effect.fromNullishOr)
  const withdrawalOf = (index: number) =>
    Effect.flatMap(withdrawals.load(withdrawalIds[index] ?? ""), Effect.fromNullishOr)

  const charge = Effect.fnUntraced(function* (amount: number) {
    const scope = idempotency("transactions", `charge-${keys++}`)
    const answer = yield* programs.createTransaction.run(
      { principal, body: { ...body, amount }, idempotency: scope, requestId: "r" },
      view,
    )
    if (answer.kind !== "answered") throw new Error(`a charge was answered ${answer.kind}`)
    chargeIds.push((JSON.parse(answer.body) as { id: string }).id)
  })

  /** Changes the acquirer's books, then reconciles the charge with them. */
  const tell = Effect.fnUntraced(function* (
    index: number,
    change: (payments: ReadonlyArray<PaymentReport>) => ReadonlyArray<PaymentReport>,
  ) {
    const stored = yield* chargeOf(index)
    const txid = txidOf(stored.id)
    books.payments.set(txid, change(books.payments.get(txid) ?? []))
    yield* programs.reconcileCharge(stored, undefined, settings, time())
  })

  const withdraw = Effect.fnUntraced(function* (amount: number, key: string) {
    const answer = yield* programs.createWithdrawal.run(
      {
        ...{ principal, requestId: "r" },
        body: { amount, pix_key_id: pixKeyId },
        idempotency: idempotency("withdrawals", key),
      },
      view,
    )
    if (answer.kind !== "answered" && answer.kind !== "replay") throw new Error(`answered ${answer.kind}`)
    return answer
  })

  return {
    principal,
    chargeIds,
    withdrawalIds,
    refundIds: refunds.ids,
    charge,
    nextDay: () => {
      days += 1
    },
    pay: (index: number, amount: number) =>
      tell(index, (payments) =>
        payments.length > 0 ? payments : [{ endToEndId: `E${index}`, amount, refunds: [] }],
      ),
    giveBack: (index: number, how: "refund" | "chargeback", amount: number) =>
      tell(index, (payments) =>
        payments.map((payment) => ({
          ...payment,
          refunds: [
            ...payment.refunds,
            { id: `refund-${keys++}`, amount, kind: how, status: "done" as const },
          ],
        })),
      ),
    end: (index: number, to: "expired" | "failed") =>
      Effect.flatMap(chargeOf(index), (stored) =>
        Effect.result(programs.simulateOutcome.run({ transaction: stored, to }, view)),
      ),
    release: (index: number) =>
      Effect.flatMap(chargeOf(index), (stored) =>
        programs.fireTimer(
          { name: "release", resourceId: stored.id, leaseEndMillis: 0 },
          stored,
          settings,
          time(),
        ),
      ),
    /** Returns the answer's code. Throws where a repetition gets another answer. */
    withdraw: Effect.fnUntraced(function* (amount: number, isRepeated: boolean) {
      const key = `withdrawal-${keys++}`
      const first = yield* withdraw(amount, key)
      const parsed = JSON.parse(first.body) as { id: string; error?: { code: string } }
      if (isRepeated) {
        const again = yield* withdraw(amount, key)
        if (again.kind !== "replay" || again.body !== first.body) throw new Error("a repetition differs")
      }
      if (first.status === 201) withdrawalIds.push(parsed.id)
      return parsed.error?.code ?? String(first.status)
    }),
    /** Returns the answer's code. Throws where a repetition gets another answer. */
    refund: (index: number, amount: number | undefined, isRepeated: boolean) =>
      refunds.request(
        {
          ...{ principal, requestId: "r", transactionId: chargeIds[index] ?? "", origin: "seller" },
          body: amount === undefined ? {} : { amount },
          idempotency: idempotency("refunds", `refund-${keys++}`),
        },
        isRepeated,
        view,
      ),
    sendRefund: (index: number) => refunds.send(index, time()),
    settleRefund: (index: number, isDone: boolean, isListed: boolean) =>
      refunds.settle(index, isDone, isListed, time()),
    decide: (index: number, act: "approve" | "reject" | "cancel") =>
      Effect.flatMap(withdrawalOf(index), (withdrawal) =>
        Effect.result(programs.decideWithdrawal.run({ withdrawal, act, reason: undefined }, view)),
      ),
    send: (index: number) =>
      Effect.flatMap(withdrawalOf(index), (stored) =>
        programs.fireWithdrawalTimer(
          { name: "pay", resourceId: stored.id, leaseEndMillis: 0 },
          stored,
          time(),
        ),
      ),
    settle: Effect.fnUntraced(function* (index: number, isPaid: boolean) {
      const stored = yield* withdrawalOf(index)
      const payoutId = payoutIdOf(stored.id)
      // A payout's result is final: the acquirer does not change it later.
      if (stored.status === "processing" && !books.payouts.has(payoutId)) {
        books.payouts.set(
          payoutId,
          isPaid ? { status: "paid", endToEndId: `E${payoutId}` } : { status: "notPaid", reason: "AC03" },
        )
      }
      yield* programs.fireWithdrawalTimer(
        { name: "poll", resourceId: stored.id, leaseEndMillis: 0 },
        stored,
        time(),
      )
    }),
  }
})
/** See {@link makeSellerDriver}. */
export type SellerDriver = Effect.Success<ReturnType<typeof makeSellerDriver>>
