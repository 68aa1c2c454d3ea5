import { Effect } from "effect"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import type { SellerTime } from "../../actors/seller/decisions/sellerTime.ts"
import { type CreateRefundRequest, createRefund } from "../../actors/seller/operations/createRefund.ts"
import { makeRefund } from "../../actors/seller/programs/refund.ts"
import type { SellerView } from "../../actors/seller/sellerMemory.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { ApiError } from "../../schema/errors.ts"
import { acquirerRefundIdOf, txidOf } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { AcquirerBooks } from "./acquirerBooks.ts"

/** Drives one seller's refunds on the store. Their ids are in the model's order. */
export const makeRefundDriver = Effect.fnUntraced(function* (books: AcquirerBooks) {
  const create = yield* createRefund.program
  const worker = yield* makeRefund
  const store = yield* RefundStore
  const ids: Array<string> = []
  const refundOf = (index: number) => Effect.flatMap(store.load(ids[index] ?? ""), Effect.fromNullishOr)
  const timerOf = (name: string, resourceId: string) => ({ name, resourceId, leaseEndMillis: 0 })

  const run = (request: CreateRefundRequest, view: SellerView) =>
    Effect.catchIf(
      create.run(request, view),
      (error) => error instanceof ApiError,
      ({ code }) => Effect.succeed({ kind: "refused", code } as const),
    )

  /** Lists a refund of ours among the returns of its charge's transfer, as the acquirer does. */
  const listReturn = ({ id, amount, transaction_id }: Refund) => {
    const txid = txidOf(transaction_id)
    const entry = { id: acquirerRefundIdOf(id), amount, kind: "refund", status: "done" } as const
    const payments = books.payments.get(txid) ?? []
    books.payments.set(
      txid,
      payments.map((payment) => ({ ...payment, refunds: [...payment.refunds, entry] })),
    )
  }

  return {
    ids,
    request: Effect.fnUntraced(function* (
      request: CreateRefundRequest,
      isRepeated: boolean,
      view: SellerView,
    ) {
      const first = yield* run(request, view)
      if (first.kind === "refused") return first.code
      if (first.kind !== "answered") throw new Error(`a refund was answered ${first.kind}`)
      if (isRepeated) {
        const executionId = `again-${Math.random()}`
        const again = yield* run({ ...request, idempotency: { ...request.idempotency, executionId } }, view)
        if (again.kind !== "replay" || again.body !== first.body) throw new Error("a repetition differs")
      }
      const parsed = JSON.parse(first.body) as { id: string; error?: { code: string } }
      if (first.status === 201) ids.push(parsed.id)
      return parsed.error?.code ?? String(first.status)
    }),
    send: (index: number, time: SellerTime) =>
      Effect.flatMap(refundOf(index), (stored) =>
        worker.send(timerOf(refundTimers.send, stored.id), stored, time),
      ),
    /** `isListed`: the charge's report has it, too. */
    settle: Effect.fnUntraced(function* (
      index: number,
      isDone: boolean,
      isListed: boolean,
      time: SellerTime,
    ) {
      const stored = yield* refundOf(index)
      const id = acquirerRefundIdOf(stored.id)
      // A refund's result is final: the acquirer does not change it later.
      if (stored.status === "processing" && !books.refunds.has(id)) {
        books.refunds.set(id, isDone ? "done" : "failed")
        if (isListed) listReturn(JSON.parse(stored.document))
      }
      yield* worker.poll(timerOf(refundTimers.poll, stored.id), stored, time)
    }),
  }
})
