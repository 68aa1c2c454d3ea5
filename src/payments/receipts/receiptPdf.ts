import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Scope } from "effect"
import type { Piscina } from "piscina"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { openLowPriorityThread } from "../lowPriorityThread.ts"
import type { Receipt } from "./receipt.ts"

/**
 * Writes receipts as PDFs (docs/contract/receipts.md#pdf), in a thread of low priority: drawing one takes longer than a
 * request may hold the others up. 503 when too many wait.
 */
export class ReceiptPdf extends Context.Service<
  ReceiptPdf,
  { readonly write: (receipt: Receipt) => Effect.Effect<Uint8Array, ApiError<"service_unavailable">> }
>()("corrente/payments/ReceiptPdf") {}

/** The thread; the first receipt starts it. */
const openThread = openLowPriorityThread<Receipt, Uint8Array>(
  fileURLToPath(new URL("./receiptWorker.ts", import.meta.url)),
  limits.receiptsWaitingMax,
)

const tooManyWait = () => serviceUnavailable("Too many receipts are being written. Try again.", 2)

export const ReceiptPdfLive = Layer.effect(
  ReceiptPdf,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const thread = yield* Effect.cached(Scope.provide(openThread, scope))
    const writeIn = (pool: Piscina<Receipt, Uint8Array>, receipt: Receipt) =>
      Effect.tryPromise({ try: (signal) => pool.run(receipt, { signal }), catch: (cause) => cause })
    return ReceiptPdf.of({
      write: Effect.fnUntraced(function* (receipt) {
        const pool = yield* thread
        if (pool.queueSize >= limits.receiptsWaitingMax) return yield* tooManyWait()
        return yield* Effect.orDie(writeIn(pool, receipt))
      }),
    })
  }),
)
